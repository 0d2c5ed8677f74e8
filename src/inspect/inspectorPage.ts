/** Stately hosts the inspector; it cannot be bundled. */
const inspectorUrl = "https://stately.ai/inspect"

export const inspectorPageHtml = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Charthouse inspector</title>
    <style>
      html, body { height: 100%; margin: 0; font: 14px system-ui, sans-serif; }
      body { display: flex; flex-direction: column; }
      p { margin: 0; padding: 6px 12px; background: #eee; color: #222; }
      iframe { flex: 1; width: 100%; border: 0; }
    </style>
  </head>
  <body>
    <p id="state" role="status">Waiting for ${inspectorUrl}, which needs the internet.</p>
    <iframe id="inspector" title="Stately inspector" src="${inspectorUrl}"></iframe>
    <script src="/relay.js"></script>
  </body>
</html>
`

/** A new connection first gets the present state. Posts to the inspector's origin only. */
export const inspectorPageScript = `"use strict"
const inspector = document.getElementById("inspector")
const state = document.getElementById("state")
const trusted = /^https:\\/\\/([a-z0-9-]+\\.)*stately\\.ai$/
const retryMillis = 1000
let socket

const say = (text) => { state.textContent = text }

const connect = (origin) => {
  if (socket !== undefined) {
    socket.onclose = null
    socket.close()
  }
  const newSocket = new WebSocket("ws://" + location.host)
  socket = newSocket
  newSocket.onopen = () => say("Showing the running actors.")
  newSocket.onmessage = (message) => inspector.contentWindow.postMessage(JSON.parse(message.data), origin)
  newSocket.onclose = () => {
    say("The cluster is gone, or this page could not keep up. Trying again.")
    setTimeout(() => { if (socket === newSocket) connect(origin) }, retryMillis)
  }
}

window.addEventListener("message", (message) => {
  if (message.source !== inspector.contentWindow || !trusted.test(message.origin)) return
  if (message.data !== null && typeof message.data === "object" && message.data.type === "@statelyai.connected") {
    connect(message.origin)
  }
})
`

export const inspectorPagePolicy = (host: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "frame-src https://stately.ai https://*.stately.ai",
    `connect-src 'self' ws://${host}`,
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")
