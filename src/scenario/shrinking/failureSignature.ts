import { failureMark } from "./failureMark.ts"
import type { Story } from "../stories/story.ts"
import type { StoryFailure, StoryRun } from "../stories/storyRun.ts"

/** What a failure of a smaller story has in common with the original one, if both have the same cause. */
export interface FailureSignature {
  /** From `failureMark`: the first failure without its times and indices. */
  readonly mark: string
  /** `namespace/name` of the Deployments that were complete when the story began. */
  readonly completeAtStart: ReadonlySet<string>
  /** Reasons of events about Pods that could not be created or scheduled. */
  readonly shortageReasons: ReadonlySet<string>
}

export const failureSignature = (story: Story, run: StoryRun): FailureSignature | undefined => {
  const [first] = run.failures
  if (first === undefined) return undefined
  return {
    mark: failureMark(story, first),
    completeAtStart: new Set(
      initialDeployments(run).flatMap(({ name, isComplete }) => (isComplete ? name : []))
    ),
    shortageReasons: new Set(shortageReasonsIn(run))
  }
}

/**
 * The run's first failure if its mark and the Deployments complete at the start are the same, and no shortage is new.
 */
export const failsSameWay = (
  { mark, completeAtStart, shortageReasons }: FailureSignature,
  story: Story,
  run: StoryRun | undefined
): StoryFailure | undefined => {
  const [first] = run?.failures ?? []
  if (run === undefined || first === undefined || failureMark(story, first) !== mark) return undefined
  if (initialDeployments(run).some(({ name, isComplete }) => !isComplete && completeAtStart.has(name)))
    return undefined
  return shortageReasonsIn(run).every((reason) => shortageReasons.has(reason)) ? first : undefined
}

const initialDeployments = ({
  deployments
}: StoryRun): ReadonlyArray<{ readonly name: string; readonly isComplete: boolean }> =>
  deployments.flatMap(({ namespace, name, rows: [first] }) =>
    first === undefined || first.atMillis > 0
      ? []
      : [{ name: `${namespace}/${name}`, isComplete: first.available >= first.desired }]
  )

/** Source: pkg/controller/controller_utils.go (FailedCreatePodReason), pkg/scheduler/schedule_one.go. */
const podShortageReasons: ReadonlySet<string> = new Set(["FailedCreate", "FailedScheduling"])

const shortageReasonsIn = ({ events }: StoryRun): ReadonlyArray<string> =>
  events.flatMap(({ reason }) => (podShortageReasons.has(reason) ? reason : []))
