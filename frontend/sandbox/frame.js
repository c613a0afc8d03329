/**
 * The only script of a sandbox's frame. It never runs foreign code: it starts the worker that does,
 * and gives it the one port that leads to the page. The second port tells the page that this file
 * is there, and of a worker that did not start.
 */
"use strict";

addEventListener("message", function begin({ source, ports: [port, trouble] }) {
  if (source !== parent || !port || !trouble) return;
  removeEventListener("message", begin);
  const files = new URL("./", location.href).href;
  const language = document.documentElement.dataset.language;
  // From an opaque origin a worker can only be started from a blob; what it imports tells its
  // errors, unlike what it takes by importScripts.
  const lines = [
    `self.begun = new Promise((resolve) => addEventListener("message", resolve, { once: true }));`,
    `import("${files}common.js").then(() => import("${files}${language}.js"))` +
      ".catch((problem) => setTimeout(() => { throw problem; }));",
  ];
  const script = new Blob(lines, { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(script), { name: language });
  worker.onerror = (event) => {
    event.preventDefault();
    trouble.postMessage(String(event.message || "its files could not be loaded"));
  };
  worker.postMessage({ files }, [port]);
  trouble.postMessage("");
});
