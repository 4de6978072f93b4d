// Browsers start no worker for a page that is opened from disk. There, a hidden frame runs the worker of the search.
// The theme looks for the name IFrameWorker.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const load = src => new Promise((resolve, reject) => {
        const script = Object.assign(frame.contentDocument.createElement("script"), { src, onload: resolve, onerror: reject });
        frame.contentDocument.body.append(script);
      });
      this.inside = new Promise(resolve => { frame.onload = resolve; }).then(async () => {
        const inside = frame.contentWindow;
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
        inside.importScripts = async (...urls) => { for (const each of urls) await load(each); };
        await load(url);
        return inside;
      });
      document.body.append(frame);
    }
    postMessage(data) {
      this.inside.then(inside => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
