import { failureCauseText } from "./failureCause.ts"
import type { Story } from "../stories/story.ts"
import type { StoryFailure, StoryRun } from "../stories/storyRun.ts"

/** A failure of a smaller story with the same cause has the same signature. */
export interface FailureSignature {
  /** Without names and numbers that differ in a smaller story. */
  readonly causeText: string
  /** Deployments as `namespace/name`. */
  readonly completeAtStart: ReadonlySet<string>
  /** Reasons of events about Pods that could not be created or scheduled. */
  readonly shortageReasons: ReadonlySet<string>
}

export const failureSignature = (story: Story, run: StoryRun): FailureSignature | undefined => {
  const [firstFailure] = run.failures
  if (firstFailure === undefined) return undefined
  return {
    causeText: failureCauseText(story, firstFailure),
    completeAtStart: new Set(
      initialDeployments(run).flatMap(({ name, isComplete }) => (isComplete ? name : []))
    ),
    shortageReasons: new Set(shortageReasonsIn(run))
  }
}

/** Returns the first failure; undefined if its cause may differ. */
export const findSameFailure = (
  { causeText, completeAtStart, shortageReasons }: FailureSignature,
  story: Story,
  run: StoryRun | undefined
): StoryFailure | undefined => {
  const [firstFailure] = run?.failures ?? []
  if (run === undefined || firstFailure === undefined) return undefined
  if (failureCauseText(story, firstFailure) !== causeText) return undefined
  if (initialDeployments(run).some(({ name, isComplete }) => !isComplete && completeAtStart.has(name)))
    return undefined
  return shortageReasonsIn(run).every((reason) => shortageReasons.has(reason)) ? firstFailure : undefined
}

const initialDeployments = ({
  deployments
}: StoryRun): ReadonlyArray<{ readonly name: string; readonly isComplete: boolean }> =>
  deployments.flatMap(({ namespace, name, rows: [firstRow] }) =>
    firstRow === undefined || firstRow.atMillis > 0
      ? []
      : [{ name: `${namespace}/${name}`, isComplete: firstRow.available >= firstRow.desired }]
  )

/** Source: pkg/controller/controller_utils.go (FailedCreatePodReason), pkg/scheduler/schedule_one.go. */
const podShortageReasons: ReadonlySet<string> = new Set(["FailedCreate", "FailedScheduling"])

const shortageReasonsIn = ({ events }: StoryRun): ReadonlyArray<string> =>
  events.flatMap(({ reason }) => (podShortageReasons.has(reason) ? reason : []))
