import type * as Effect from "effect/Effect"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { SteeringAnswer, SteeringQuestion } from "../../kubernetes/steering/steeringQuestions.ts"

/** Answers what hooks and analyses ask outside of the cluster. */
export interface SteeringSources {
  /** About the revision of a hash. It never fails: a question without an answer has a reason. */
  readonly answer: (
    question: SteeringQuestion,
    deployment: Deployment,
    hash: string
  ) => Effect.Effect<SteeringAnswer>
}
