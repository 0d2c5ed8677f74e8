import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { problemText } from "../manifests/manifest.ts"
import { refuse } from "./exitCode.ts"
import type { ExitCode } from "./exitCode.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"

/** What cannot be run, in the lines that say why. */
export class BadInput extends TaggedError("BadInput")<{ readonly lines: ReadonlyArray<string> }> {}

/** What is the matter with what was given, a complaint a line. */
export const badInput = (...complaints: ReadonlyArray<string>): BadInput =>
  new BadInput({ lines: complaints.map((it) => `error: ${it}`) })

/** What is refused goes to the standard error, and is what the command comes to. */
export const refusing = (
  command: Effect.Effect<ExitCode, BadInput | ManifestsRefused>
): Effect.Effect<ExitCode> =>
  command.pipe(
    Effect.catchTag("BadInput", ({ lines }) => Effect.sync(() => refuse(...lines))),
    Effect.catchTag("ManifestsRefused", ({ problems }) =>
      Effect.sync(() => refuse(...problems.map(problemText)))
    )
  )
