import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

let streamModule: typeof Stream | undefined

/** Loads Effect's streams once. Importing them takes 30 ms, and only clusters whose calls are Effects need them. */
export const loadStreams: Effect.Effect<void> = Effect.suspend(() =>
  streamModule === undefined
    ? Effect.map(
        Effect.promise(() => import("effect/Stream")),
        (loaded) => {
          streamModule = loaded
        }
      )
    : Effect.void
)

export const effectStreams = (): typeof Stream => {
  if (streamModule === undefined) throw new Error("effect/Stream is not loaded yet")
  return streamModule
}
