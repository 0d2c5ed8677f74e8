import { createWebSocketReceiver } from "@statelyai/inspect"

/** A frame as the receiver hands it out; the package's own type leaves no room for what it does not name. */
export interface Frame {
  readonly type: string
  readonly sessionId: string
  readonly rootId: string
  readonly _version: string
  readonly createdAt: string
  readonly name?: string
  readonly parentId?: string
  readonly definition?: string
  readonly sourceId?: string
  readonly event?: { readonly type: string }
  readonly snapshot?: {
    readonly status: string
    readonly value?: unknown
    readonly context?: unknown
    readonly tags?: ReadonlyArray<string>
    readonly children?: object
    readonly error?: string
  }
}

interface Receiver {
  readonly frames: ReadonlyArray<Frame>
  /** Resolves when a frame has come for which this holds, with all that had come by then. */
  readonly until: (holds: (frame: Frame) => boolean) => Promise<ReadonlyArray<Frame>>
}

/** Connects with the receiver that Stately publishes. */
export const receive = (url: string): Receiver => {
  const frames: Array<Frame> = []
  const waiting = new Set<() => void>()
  createWebSocketReceiver({ server: url.replace("http:", "ws:") }).subscribe((event) => {
    if (isFrame(event)) frames.push(event)
    for (const look of waiting) look()
  })
  return {
    frames,
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!frames.some(holds)) return
          waiting.delete(look)
          resolve([...frames])
        }
        waiting.add(look)
        look()
      })
  }
}

export const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && "_version" in value && "sessionId" in value

/** A run in lines a person would want to read. */
export const told = (frames: ReadonlyArray<Frame>): ReadonlyArray<string> => {
  const names = new Map<string, string>()
  return frames.map(({ type, sessionId, name, parentId, event, snapshot }) => {
    if (name !== undefined) {
      names.set(sessionId, name)
      const under = parentId === undefined ? "" : ` under ${names.get(parentId) ?? "a stranger"}`
      return `${name}${under}: ${JSON.stringify(snapshot?.value)}`
    }
    const who = names.get(sessionId) ?? "a stranger"
    if (type === "@xstate.event") return `${who} <- ${event?.type}`
    const status = snapshot?.status === "active" ? "" : ` ${snapshot?.status}`
    return `${who} -> ${JSON.stringify(snapshot?.value)}${status}`
  })
}
