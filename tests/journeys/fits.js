// Gives in words what is cut off, covered or wider than its place: nothing that can be used may be out of reach.
() => {
  const found = [];
  const name = (one) => `${one.tagName.toLowerCase()} "${(one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 40)}"`;
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide, of ${innerWidth}`);
  for (const one of document.querySelectorAll(".view > .content")) {
    if (one.scrollWidth > one.clientWidth + 1) found.push(`the view is ${one.scrollWidth} wide, of ${one.clientWidth}`);
  }
  const scrolls = (value) => value === "auto" || value === "scroll";
  const usable = "a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])";
  const asks = document.querySelector("[role=dialog]");
  for (const one of (asks ?? document).querySelectorAll(usable)) {
    if (one.closest("[inert], [aria-hidden=true], .visually-hidden, .skip") || !one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const box = one.getBoundingClientRect();
    if (one.disabled || one.tabIndex < 0 || box.width < 2 || box.height < 2) continue;
    const seen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    let across = false, down = false;
    for (let up = one.parentElement; up; up = up.parentElement) {
      const style = getComputedStyle(up), room = up.getBoundingClientRect();
      if (style.overflowX !== "visible") {
        if (!across && !scrolls(style.overflowX) && (box.left < room.left - 1 || box.right > room.right + 1)) found.push(`${name(one)} is cut off at the side`);
        across ||= scrolls(style.overflowX);
        [seen.left, seen.right] = [Math.max(seen.left, room.left), Math.min(seen.right, room.right)];
      }
      if (style.overflowY !== "visible") {
        if (!down && !scrolls(style.overflowY) && (box.top < room.top - 1 || box.bottom > room.bottom + 1)) found.push(`${name(one)} is cut off above or below`);
        down ||= scrolls(style.overflowY);
        [seen.top, seen.bottom] = [Math.max(seen.top, room.top), Math.min(seen.bottom, room.bottom)];
      }
    }
    if (!across && (box.left < -1 || box.right > innerWidth + 1)) found.push(`${name(one)} is beside the window`);
    if (!down && (box.top < -1 || box.bottom > innerHeight + 1)) found.push(`${name(one)} is below the window`);
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    if (x <= seen.left || x >= seen.right || y <= seen.top || y >= seen.bottom) continue;
    const hit = document.elementFromPoint(x, y);
    const own = hit && (one.contains(hit) || hit.contains(one) || [...(one.labels ?? [])].some((label) => label.contains(hit)));
    if (!own && !(one.closest("svg") && hit?.closest("svg"))) found.push(`${name(one)} is covered by ${hit ? name(hit) : "nothing"}`);
  }
  // What overflows a scrolled place at its start cannot be scrolled to.
  for (const one of document.querySelectorAll("h1, h2, h3, p, svg, button, input")) {
    if (one.closest(".visually-hidden") || !one.checkVisibility({ visibilityProperty: true })) continue;
    let place = one.parentElement;
    while (place && !scrolls(getComputedStyle(place).overflowY)) place = place.parentElement;
    if (!place) continue;
    const start = place.getBoundingClientRect().top - place.scrollTop, box = one.getBoundingClientRect();
    if (box.height > 1 && box.top < start - 1) found.push(`${name(one)} is above the start of its place`);
  }
  // Text that nobody can read: one letter a line, cut off without a sign of it, or little more than the sign.
  const texts = document.createTreeWalker(asks ?? document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const words = texts.currentNode.textContent.trim(), place = texts.currentNode.parentElement;
    if (words.length < 2 || !place || place.closest("[inert], [aria-hidden=true], .visually-hidden, .skip, svg, option, script, style") || !place.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (getComputedStyle(place).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const lines = new Set([...range.getClientRects()].filter((one) => one.width > 0).map((one) => Math.round(one.top))).size;
    if (lines > 2 && words.length / lines < 5) found.push(`"${words.slice(0, 40)}" has ${Math.ceil(words.length / lines)} letters a line`);
    const box = range.getBoundingClientRect();
    for (let up = place; up && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up), room = up.getBoundingClientRect();
      if (scrolls(style.overflowX) || scrolls(style.overflowY)) break;
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const seen = Math.min(box.right, room.right) - Math.max(box.left, room.left);
      if (style.textOverflow === "ellipsis") {
        if (box.right > room.right + 1 && seen < 32) found.push(`of "${words.slice(0, 40)}" only ${Math.round(seen)} px are shown`);
      } else if (box.left < room.left - 1 || box.right > room.right + 1) found.push(`the text "${words.slice(0, 40)}" is cut off at the side`);
      if (style.overflowY !== "visible" && style.webkitLineClamp === "none" && (box.top < room.top - 2 || box.bottom > room.bottom + 2)) found.push(`the text "${words.slice(0, 40)}" is cut off above or below`);
      break;
    }
  }
  for (const one of (asks ?? document).querySelectorAll("*")) {
    const style = getComputedStyle(one);
    if (one.closest("[inert], pre, .visually-hidden, textarea") || !one.checkVisibility({ visibilityProperty: true })) continue;
    // A row of chips or actions may be scrolled, as the keyboard reaches all of it.
    const strip = one.clientHeight < 60;
    if (scrolls(style.overflowX) && !strip && one.scrollWidth > one.clientWidth + 1) found.push(`${name(one)} is scrolled sideways: ${one.scrollWidth} of ${one.clientWidth}`);
    if (scrolls(style.overflowY) && one.scrollHeight > one.clientHeight + 1 && one.clientHeight < (innerHeight < 400 ? 48 : 96) && one.scrollHeight > 120) found.push(`${name(one)} shows ${one.clientHeight} px of ${one.scrollHeight}`);
  }
  const moves = (one) => one.playState === "running" && (one.effect?.getComputedTiming().duration ?? 0) > 1;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    for (const one of document.getAnimations().filter(moves)) found.push(`${name(one.effect.target)} moves though less motion is asked for`);
  }
  return [...new Set(found)];
}
