import * as Effect from "effect/Effect"

/** Tells a controller's own writes from those of others: what it has done itself it need not look at. */
interface OwnWrites {
  readonly during: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Whether a change that arrives now is one's own; in doubt it is not, which costs a look. */
  readonly isOwn: () => boolean
}

export const makeOwnWrites = (): OwnWrites => {
  let isWriting = false
  const set = (value: boolean) =>
    Effect.sync(() => {
      isWriting = value
    })
  return {
    during: (effect) => Effect.andThen(set(true), Effect.ensuring(effect, set(false))),
    isOwn: () => isWriting
  }
}
