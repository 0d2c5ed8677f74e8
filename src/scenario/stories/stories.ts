import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { andMoreLine, failureTitle, failureContextLines } from "./failureTitle.ts"
import { joinEscapedLines } from "../../kubernetes/meta/text/escapeControls.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { playStory } from "./playing/playStory.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { validateOptionNames } from "../../options/invalidOptions.ts"
import { storyProblems } from "./checking/storyProblems.ts"
import { violationText } from "../ledger/violations.ts"
import type { Story } from "./story.ts"
import type { StoryFailure, StoryRun } from "./storyRun.ts"

export type { StoryCondition, StoryStep, Story, StoryWorld } from "./story.ts"
export type { Fault, RandomFaults } from "../../faults/fault.ts"
export type { StoryFailure, StoryRun } from "./storyRun.ts"

/**
 * Checks a story written in TypeScript as if it were YAML.
 * @throws InvalidStory
 */
export const defineStory = (story: Story): Story => {
  const problems = storyProblems(story)
  if (problems.length > 0) throw new InvalidStory(isFields(story) ? story.name : "", problems)
  return story
}

export class InvalidStory extends Error {
  override readonly name = "InvalidStory"
  readonly problems: ReadonlyArray<string>

  constructor(story: string, problems: ReadonlyArray<string>) {
    super(`story ${JSON.stringify(story)}:${problems.map((problem) => `\n  ${problem}`).join("")}`)
    this.problems = problems
  }
}

/**
 * Plays a story, by default with its own seed. Throws `InvalidStory`, `InvalidOptions`, or `StoryFailed` if it did not
 * pass.
 */
export const runStory = async (story: Story, options: { readonly seed?: number } = {}): Promise<StoryRun> => {
  const { seed } = validateOptionNames("runStory", options, { seed: true })
  const exit = await Effect.runPromiseExit(playStory(defineStory(story), seed))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  if (exit.value.outcome !== "passed") throw new StoryFailed(exit.value)
  return exit.value
}

export class StoryFailed extends Error {
  override readonly name = "StoryFailed"
  readonly run: StoryRun

  constructor(run: StoryRun) {
    const failures = run.failures.map((failure, index) => failureText(run, failure, index + 1))
    const lines = [...failures, ...andMoreLine(run.untold)].map((text) => `\n${text}`)
    super(`story ${JSON.stringify(run.story)} with seed ${run.seed}:${lines.join("")}`)
    this.run = run
  }
}

/** `number` counts from 1. */
export const failureText = (run: StoryRun, failure: StoryFailure, number: number): string => {
  if (failure.type === "violation") return violationText(failure.violation, number)
  const time = `[${number}] +${formatDuration(failure.atMillis)}`
  if (failure.type !== "step") return joinEscapedLines([`${time}  ${failureTitle(failure)}`])
  const step = run.steps[failure.step - 1]
  const stepLabel = step === undefined ? "" : `step ${step.number} (${step.text}): `
  return joinEscapedLines([`${time}  ${stepLabel}${failure.message}`, ...failureContextLines(failure)])
}
