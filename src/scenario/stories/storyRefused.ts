import { TaggedError } from "effect/Data"

/** Lines and columns count from 1. */
export interface StoryProblem {
  readonly file: string
  /** 0 for the whole file. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/** `story.yaml:12:9: message`. */
export const storyProblemText = ({ file, line, column, message }: StoryProblem): string =>
  `${file}${line === 0 ? "" : `:${line}`}${line === 0 || column === 0 ? "" : `:${column}`}: ${message}`

export class StoryRefused extends TaggedError("StoryRefused")<{
  readonly problems: ReadonlyArray<StoryProblem>
}> {
  override get message(): string {
    return this.problems.map(storyProblemText).join("\n")
  }
}
