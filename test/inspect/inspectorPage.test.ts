import { createContext, runInContext } from "node:vm"
import { expect, test } from "vitest"
import { inspectorPageScript } from "../../src/inspect/inspectorPage.ts"

/** Runs the page's script with a fake window. */
const openPage = () => {
  const posted: Array<{ readonly frame: unknown; readonly origin: string }> = []
  const inspector = {
    contentWindow: { postMessage: (frame: unknown, origin: string) => posted.push({ frame, origin }) }
  }
  const state = { textContent: "" }
  const sockets: Array<FakeSocket> = []
  const timers: Array<() => void> = []
  let listener: (message: unknown) => void = () => {}
  class FakeSocket {
    readonly url: string
    isClosed = false
    onopen: (() => void) | null = null
    onmessage: ((message: { readonly data: string }) => void) | null = null
    onclose: (() => void) | null = null
    constructor(url: string) {
      this.url = url
      sockets.push(this)
    }
    close(): void {
      this.isClosed = true
    }
  }
  const page = createContext({
    document: { getElementById: (id: string) => (id === "inspector" ? inspector : state) },
    window: { addEventListener: (_type: string, listen: typeof listener) => (listener = listen) },
    location: { host: "127.0.0.1:4321" },
    WebSocket: FakeSocket,
    setTimeout: (run: () => void) => timers.push(run)
  })
  runInContext(inspectorPageScript, page)
  const connected = { type: "@statelyai.connected" }
  return {
    posted,
    sockets,
    timers,
    state,
    receiveMessage: (
      message: { readonly origin?: string; readonly source?: unknown; readonly data?: unknown } = {}
    ) =>
      listener({ origin: "https://stately.ai", source: inspector.contentWindow, data: connected, ...message })
  }
}

test("the page connects when the inspector listens, and posts frames to the inspector's origin only", () => {
  const { posted, sockets, receiveMessage } = openPage()
  expect(sockets).toHaveLength(0)
  receiveMessage()
  sockets[0]?.onmessage?.({ data: '{"type":"@xstate.actor"}' })
  expect(sockets.map(({ url }) => url)).toEqual(["ws://127.0.0.1:4321"])
  expect(posted).toEqual([{ frame: { type: "@xstate.actor" }, origin: "https://stately.ai" }])
})

test.each([
  { why: "another origin", message: { origin: "https://stately.ai.example.org" } },
  { why: "an origin without encryption", message: { origin: "http://stately.ai" } },
  { why: "another window", message: { source: {} } },
  { why: "a message of another type", message: { data: { type: "@statelyai.disconnected" } } },
  { why: "a message without data", message: { data: null } }
])("the page opens no connection for $why", ({ message }) => {
  const { sockets, receiveMessage } = openPage()
  receiveMessage(message)
  expect(sockets).toHaveLength(0)
})

test("the page opens a new connection for an inspector that reloads", () => {
  const { sockets, timers, receiveMessage } = openPage()
  receiveMessage()
  receiveMessage()
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true, false])
  expect(timers).toHaveLength(0)
})

test("the page reports a lost connection and reconnects", () => {
  const { sockets, timers, state, receiveMessage } = openPage()
  receiveMessage()
  sockets[0]?.onopen?.()
  expect(state.textContent).toContain("running actors")
  sockets[0]?.onclose?.()
  expect(state.textContent).toContain("Trying again")
  timers[0]?.()
  expect(sockets).toHaveLength(2)
})
