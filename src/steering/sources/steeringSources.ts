import type * as Effect from "effect/Effect"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { SteeringAnswer, SteeringQuestion } from "../../kubernetes/steering/steeringQuestions.ts"

/** Answers the questions that hooks and analyses ask outside of the cluster. */
export interface SteeringSources {
  /** `hash` is the pod-template-hash of the new revision. Never fails: where there is no answer, the value says why. */
  readonly answer: (
    question: SteeringQuestion,
    deployment: Deployment,
    hash: string
  ) => Effect.Effect<SteeringAnswer>
}
