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
  const moves = (one) => one.playState === "running" && (one.effect?.getComputedTiming().duration ?? 0) > 1;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    for (const one of document.getAnimations().filter(moves)) found.push(`${name(one.effect.target)} moves though less motion is asked for`);
  }
  return [...new Set(found)];
}
