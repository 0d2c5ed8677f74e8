import { failureMark } from "./failureMark.ts"
import type { Story } from "../stories/story.ts"
import type { StoryFailure, StoryRun } from "../stories/storyRun.ts"

/** How a story fails: what fails first, and in which world. */
export interface FailingWay {
  readonly mark: string
  /** The Deployments that are all there when it begins. */
  readonly whole: ReadonlySet<string>
  /** Whether Pods are refused, or placed nowhere. */
  readonly wants: ReadonlySet<string>
}

/** Undefined for a story that does not fail. */
export const failingWay = (story: Story, run: StoryRun): FailingWay | undefined => {
  const [first] = run.failures
  if (first === undefined) return undefined
  return {
    mark: failureMark(story, first),
    whole: new Set(begunWith(run).flatMap(({ name, isWhole }) => (isWhole ? name : []))),
    wants: new Set(wantsIn(run))
  }
}

/**
 * The failure of a smaller story that fails in this way: nothing else fails before it, the Deployments that were all
 * there at the beginning still are, as far as they are left, and no Pods are refused or placed nowhere where none were.
 */
export const failsSameWay = (
  { mark, whole, wants }: FailingWay,
  story: Story,
  run: StoryRun | undefined
): StoryFailure | undefined => {
  const [first] = run?.failures ?? []
  if (run === undefined || first === undefined || failureMark(story, first) !== mark) return undefined
  if (begunWith(run).some(({ name, isWhole }) => !isWhole && whole.has(name))) return undefined
  return wantsIn(run).every((reason) => wants.has(reason)) ? first : undefined
}

/** The Deployments that are there when a story begins, and whether all their Pods are. */
const begunWith = ({
  deployments
}: StoryRun): ReadonlyArray<{ readonly name: string; readonly isWhole: boolean }> =>
  deployments.flatMap(({ namespace, name, rows: [first] }) =>
    first === undefined || first.atMillis > 0
      ? []
      : [{ name: `${namespace}/${name}`, isWhole: first.available >= first.desired }]
  )

/** Source: pkg/controller/controller_utils.go (FailedCreatePodReason), pkg/scheduler/schedule_one.go. */
const wanting: ReadonlySet<string> = new Set(["FailedCreate", "FailedScheduling"])

const wantsIn = ({ events }: StoryRun): ReadonlyArray<string> =>
  events.flatMap(({ reason }) => (wanting.has(reason) ? reason : []))
