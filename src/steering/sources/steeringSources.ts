import type * as Effect from "effect/Effect"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { SteeringAnswer, SteeringQuestion } from "../../kubernetes/steering/steeringQuestions.ts"

/** Answers the questions of hooks and analyses outside of the cluster. */
export interface SteeringSources {
  /** `hash` is the new revision's pod-template-hash. Never fails: without an answer, it succeeds with a `failure`. */
  readonly answer: (
    question: SteeringQuestion,
    deployment: Deployment,
    hash: string
  ) => Effect.Effect<SteeringAnswer>
}
