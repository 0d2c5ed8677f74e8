import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { problemLines } from "../../manifests/manifestDocument.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"

/** Lines are printed unchanged: they begin with `error: `, except for warnings before them. */
export class BadInput extends TaggedError("BadInput")<{ readonly lines: ReadonlyArray<string> }> {}

export const badInput = (...messages: ReadonlyArray<string>): BadInput =>
  new BadInput({ lines: messages.map((it) => `error: ${it}`) })

export const reportBadInput = (
  command: Effect.Effect<ExitCode, BadInput | ManifestsRefused>
): Effect.Effect<ExitCode> =>
  command.pipe(
    Effect.catchTag("BadInput", ({ lines }) => Effect.sync(() => refuseCommand(...lines))),
    Effect.catchTag("ManifestsRefused", ({ problems }) =>
      Effect.sync(() => refuseCommand(...problems.flatMap(problemLines)))
    )
  )
