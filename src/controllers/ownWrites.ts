import * as Effect from "effect/Effect"

/** Tells a controller's own writes from those of others: what it has done itself it need not look at. */
interface OwnWrites {
  /** `again` asks for one more look: while a write took its time, others may have written as well. */
  readonly during: <A, E>(effect: Effect.Effect<A, E>, again: () => void) => Effect.Effect<A, E>
  /** Whether a change that arrives now is one's own; in doubt it is not, which costs a look. */
  readonly isOwn: () => boolean
}

export const makeOwnWrites = (nowMillis: () => number): OwnWrites => {
  let isWriting = false
  return {
    during: (effect, again) =>
      Effect.suspend(() => {
        const beganMillis = nowMillis()
        isWriting = true
        const finish = Effect.sync(() => {
          isWriting = false
          if (nowMillis() > beganMillis) again()
        })
        return Effect.ensuring(effect, finish)
      }),
    isOwn: () => isWriting
  }
}
