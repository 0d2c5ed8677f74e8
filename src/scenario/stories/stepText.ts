import { predicateText } from "../conditions/judge.ts"
import { whomOf } from "./write.ts"
import type { Draft } from "../../domain/objects.ts"
import type { Fault } from "../../faults/fault.ts"
import type { Condition, Step } from "./story.ts"

/** What a step does, in a line: `scale deployment/web to 5`. */
export const stepText = (step: Step, faultText: (fault: Fault) => string): string => {
  if ("fault" in step) return faultText(step)
  if ("waitFor" in step) return `wait for ${conditionText(step.waitFor)}`
  if ("expect" in step) return `expect ${conditionText(step.expect)}`
  if ("advance" in step) return `advance ${step.advance}`
  const refusal = step.expectRefused === undefined ? "" : `, which is to be refused`
  return `${writeText(step)}${refusal}`
}

const writeText = (step: Extract<Step, { readonly expectRefused?: string }>): string => {
  if ("apply" in step) return `apply ${objectsText(step.apply)}`
  const whom = whomOf(step)
  if ("patch" in step) return `patch ${whom} with ${shortened(JSON.stringify(step.with))}`
  if ("scale" in step) return `scale ${whom} to ${step.to}`
  if ("setImage" in step) {
    const images = Object.entries(step.images).map(([name, image]) => `${name}=${image}`)
    return `set image ${whom} ${images.join(" ")}`
  }
  if ("pause" in step) return `pause ${whom}`
  if ("resume" in step) return `resume ${whom}`
  if ("undo" in step)
    return `undo ${whom}${step.toRevision === undefined ? "" : ` to revision ${step.toRevision}`}`
  return `delete ${whom}`
}

const objectsText = (drafts: ReadonlyArray<Draft>): string => {
  const names = drafts.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name ?? ""}`)
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`
}

const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 57)}...`)

const conditionText = (condition: Condition): string =>
  typeof condition === "string" ? condition : predicateText(condition)
