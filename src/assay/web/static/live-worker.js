// One stream of events for all open pages of a browser, because a browser allows only a few connections to a server.
"use strict";
(() => {
  const ports = new Set();
  const last = new Map();
  let source = null;

  const forward = (name, data) => {
    last.set(name, data);
    for (const port of ports) port.postMessage({ name, data });
  };

  const open = (url) => {
    if (source && source.readyState !== EventSource.CLOSED) return;
    last.clear();
    source = new EventSource(url);
    for (const name of ["progress", "store"]) source.addEventListener(name, (event) => forward(name, event.data));
    source.addEventListener("error", (event) => {
      if (event.target.readyState === EventSource.CLOSED) for (const port of ports) port.postMessage({ name: "closed" });
    });
  };

  const leave = (port) => {
    ports.delete(port);
    if (ports.size || !source) return;
    source.close();
    source = null;
  };

  self.addEventListener("connect", (event) => {
    const [port] = event.ports;
    port.addEventListener("message", (message) => {
      if (!message.data.url) return leave(port);
      ports.add(port);
      open(message.data.url);
      for (const [name, data] of last) port.postMessage({ name, data });
    });
    port.start();
  });
})();
