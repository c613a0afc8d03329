const KEY = new URLSearchParams(location.hash.slice(1)).get("k");
history.replaceState(null, "", location.pathname);
window.batches = [];
window.__conductor_push = (batch) => window.batches.push(batch);
window.ready = new Promise((done) => window.addEventListener("pywebviewready", done));
let calls = 0;
window.rpcWith = async (key, method, params, name = "rpc") => {
  await window.ready;
  const id = `c${++calls}`;
  const waiting = (window.pywebview._returnValuesCallbacks.rpc ??= {});
  return new Promise((done) => {
    waiting[id] = (answer) => done(JSON.parse(answer.value));
    window.pywebview._jsApiCallback(name, [key, method, params], id);
  });
};
window.rpc = (method, params) => window.rpcWith(KEY, method, params);
// Calls are answered in their order: one without an answer gets none once a later one has its own.
window.rpcOrNothing = (...call) =>
  Promise.race([window.rpcWith(...call), window.rpc("echo", {}).then(() => "no answer")]);
