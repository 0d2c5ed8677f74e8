import { TaggedError } from "effect/Data"

/** One thing that is wrong with a story, or with a file that it names. Lines and columns count from 1. */
export interface StoryProblem {
  readonly file: string
  /** 0 where the file as a whole is meant. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/** `story.yaml:12:9: what is wrong` */
export const storyProblemText = ({ file, line, column, message }: StoryProblem): string =>
  `${file}${line === 0 ? "" : `:${line}`}${line === 0 || column === 0 ? "" : `:${column}`}: ${message}`

/** What is wrong with a story, all of it. */
export class StoryRefused extends TaggedError("StoryRefused")<{
  readonly problems: ReadonlyArray<StoryProblem>
}> {
  override get message(): string {
    return this.problems.map(storyProblemText).join("\n")
  }
}
