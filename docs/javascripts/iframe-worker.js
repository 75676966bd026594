/* Search on pages that are opened from the disk: browsers refuse to start a worker there, so its script runs in a hidden
   frame that speaks like a worker. Elsewhere nothing is changed. */
(() => {
  if (location.protocol !== "file:") return

  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.waiting = []
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inside.document.createElement("script")
      script.src = url
      script.onload = () => {
        this.deliver = data => inside.dispatchEvent(new MessageEvent("message", { data }))
        this.waiting.splice(0).forEach(this.deliver)
      }
      inside.document.body.append(script)
      this.frame = frame
    }

    postMessage(data) {
      if (this.deliver) this.deliver(data)
      else this.waiting.push(data)
    }

    terminate() {
      this.frame.remove()
    }
  }
})()
