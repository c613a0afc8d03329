/**
 * What the benchmark counts in a page: events that arrive, frames, and how long calls take.
 *
 * In a browser it runs before the page, and sees the page's WebSocket; in the window it runs when the page
 * is there, and sees pywebview's bridge. It hands everything on as it is.
 */
(() => {
  const FIRST_ID = 1_000_000;
  const waiting = new Map();
  let calls = FIRST_ID;
  let next = 0;
  let send = null;
  let last = 0;

  const bench = {
    counted: { events: 0, skipped: 0, gaps: 0, batches: 0 },
    frames: [],

    take(batch) {
      const counted = bench.counted;
      counted.batches += 1;
      for (const [seq, topic, payload] of batch) {
        if (next && seq !== next) counted.gaps += 1;
        next = seq + 1;
        if (topic === "trace") counted.events += payload.count ?? 1;
        if (topic === "skipped") counted.skipped += payload.count;
      }
    },

    reset() {
      bench.counted = { events: 0, skipped: 0, gaps: 0, batches: 0 };
      bench.frames = [];
      last = 0;
    },

    /** Calls again and again, one at a time, and gives what each call took in ms. */
    async roundTrips(count, method) {
      const taken = [];
      for (let done = 0; done < count; done += 1) {
        const began = performance.now();
        const answer = await new Promise((resolve) => {
          const id = (calls += 1);
          waiting.set(id, resolve);
          send(id, method);
        });
        taken.push(performance.now() - began);
        if (!answer.ok) throw new Error(JSON.stringify(answer));
      }
      return taken;
    },

    /** Notes the time between frames from now on; `reset` begins anew. */
    countFrames() {
      const frame = (now) => {
        if (last) bench.frames.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    },

    paints() {
      const entries = performance.getEntriesByType("paint").map((one) => [one.name, one.startTime]);
      return { origin: performance.timeOrigin, ...Object.fromEntries(entries) };
    },
  };

  const answered = (id, answer) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };

  /** Waits for a call of the page itself, because only that has the window's key. */
  const listenToBridge = (bridge) => {
    const call = bridge._jsApiCallback.bind(bridge);
    const push = window.__conductor_push;
    window.__conductor_push = (batch) => {
      bench.take(batch);
      push(batch);
    };
    bridge._jsApiCallback = (name, words, id) => {
      const key = words[0];
      send = (mine, method) => {
        const text = `bench${mine}`;
        bridge._returnValuesCallbacks.rpc[text] = (answer) => {
          delete bridge._returnValuesCallbacks.rpc[text];
          answered(mine, JSON.parse(answer.value));
        };
        call("rpc", [key, method, {}], text);
      };
      return call(name, words, id);
    };
  };

  const listenToSockets = () => {
    window.WebSocket = class extends WebSocket {
      constructor(...words) {
        super(...words);
        next = 0;
        send = (id, method) => this.send(JSON.stringify({ id, method, params: {} }));
        this.addEventListener("message", (event) => {
          const message = JSON.parse(event.data);
          if (message.batch) bench.take(message.batch);
          else if (message.id > FIRST_ID) answered(message.id, message);
        });
      }
    };
  };

  window.bench = bench;
  if (window.pywebview) listenToBridge(window.pywebview);
  else listenToSockets();
})();
