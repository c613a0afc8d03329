/**
 * The only script of a sandbox's frame. It never runs foreign code: it starts the worker that does, and gives
 * it the one port that leads to the page. The second port tells the page of a worker that did not start.
 */
"use strict";

addEventListener("message", function begin({ source, ports: [port, trouble] }) {
  if (source !== parent || !port || !trouble) return;
  removeEventListener("message", begin);
  const files = new URL("./", location.href).href;
  const language = document.documentElement.dataset.language;
  const names = ["common.js", `${language}.js`].map((name) => JSON.stringify(files + name));
  // From an opaque origin a worker can only be started from a blob.
  const script = new Blob([`importScripts(${names.join()})`], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(script), { name: language });
  worker.onerror = (event) => {
    event.preventDefault();
    trouble.postMessage(String(event.message || "its files could not be loaded"));
  };
  worker.postMessage({ files }, [port]);
});
