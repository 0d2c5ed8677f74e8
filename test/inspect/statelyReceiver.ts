import { createWebSocketReceiver } from "@statelyai/inspect"

/** A frame from the receiver, with fields that the package's type lacks. */
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
  /** Resolves with all frames once one of them fulfils the predicate. */
  readonly until: (holds: (frame: Frame) => boolean) => Promise<ReadonlyArray<Frame>>
}

/** Connects with Stately's published receiver. */
export const receive = (url: string): Receiver => {
  const frames: Array<Frame> = []
  const waiting = new Set<() => void>()
  createWebSocketReceiver({ server: url.replace("http:", "ws:") }).subscribe((event) => {
    if (isFrame(event)) frames.push(event)
    for (const check of waiting) check()
  })
  return {
    frames,
    until: (holds) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!frames.some(holds)) return
          waiting.delete(check)
          resolve([...frames])
        }
        waiting.add(check)
        check()
      })
  }
}

export const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && "_version" in value && "sessionId" in value

/** Frames as readable lines. */
export const frameLines = (frames: ReadonlyArray<Frame>): ReadonlyArray<string> => {
  const names = new Map<string, string>()
  return frames.map(({ type, sessionId, name, parentId, event, snapshot }) => {
    if (name !== undefined) {
      names.set(sessionId, name)
      const under = parentId === undefined ? "" : ` under ${names.get(parentId) ?? "a stranger"}`
      return `${name}${under}: ${JSON.stringify(snapshot?.value)}`
    }
    const actor = names.get(sessionId) ?? "a stranger"
    if (type === "@xstate.event") return `${actor} <- ${event?.type}`
    const status = snapshot?.status === "active" ? "" : ` ${snapshot?.status}`
    return `${actor} -> ${JSON.stringify(snapshot?.value)}${status}`
  })
}
