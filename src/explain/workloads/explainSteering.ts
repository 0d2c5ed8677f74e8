import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"

/** What the steering of a Deployment has come to, from the condition that it writes. */
export const explainSteering = ({ metadata, spec, status }: Deployment): StateExplanation => {
  const condition = conditionOf(status.conditions, steeredCondition)
  const { updatedReplicas: updated = 0, availableReplicas: available = 0 } = status
  const numbers = { desired: spec.replicas, updated, available }
  const name = JSON.stringify(metadata.name)
  if (condition === undefined)
    return {
      state: "unseen",
      isWell: false,
      sentences: [`The steering controller has not reported anything about Deployment ${name} yet.`],
      numbers
    }
  return {
    state: condition.reason ?? "",
    isWell: condition.status === "True",
    sentences: [steeringSentence(condition.message ?? "")],
    numbers
  }
}

/** For the explanation of the Deployment; empty if it is not steered. */
export const steeringSentences = ({ status }: Deployment): ReadonlyArray<string> => {
  const condition = conditionOf(status.conditions, steeredCondition)
  return condition === undefined ? [] : [steeringSentence(condition.message ?? "")]
}

const steeringSentence = (message: string): string =>
  `Steering: ${message}${/[.!?]$/u.test(message) ? "" : "."}`
