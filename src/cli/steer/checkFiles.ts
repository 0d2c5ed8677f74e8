import * as Effect from "effect/Effect"
import { checkManifests } from "../../steering/checkManifests.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { loadStrategies } from "../input/loadStrategies.ts"
import { manifestSources } from "../input/manifestSources.ts"
import { printLines, printToStderr } from "../terminal/terminal.ts"
import { problemText } from "../../manifests/manifestDocument.ts"
import { readTextFiles, checkStdinUsedOnce } from "../input/textFiles.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { withBuiltInSteering } from "../../../machines/steering/steeringStrategies.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

/** Exits 2 if a strategy or a manifest is invalid. `strategies`: the path of a module. */
export const checkFiles = (
  paths: ReadonlyArray<string>,
  strategies: string | undefined
): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { steering } = yield* loadStrategies(strategies)
    const sources = yield* manifestSources({ files: paths })
    yield* checkStdinUsedOnce(sources)
    const files = yield* readTextFiles(sources)
    const { problems, steered, warnings } = checkManifests(files, withBuiltInSteering(steering))
    for (const warning of warnings) printToStderr(`warning: ${problemText(warning)}`)
    if (problems.length > 0) return refuseCommand(...problems.map((it) => `error: ${problemText(it)}`))
    printLines([
      steered.length === 0
        ? "no Deployment has the annotation charthouse.dev/strategy"
        : `${countText(steered.length, "valid strategy", "valid strategies")}: ${steered.join(", ")}`
    ])
    return 0 as const
  }).pipe(Effect.catch(({ lines }) => Effect.sync(() => refuseCommand(...lines))))
