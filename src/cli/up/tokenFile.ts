import { existsSync, readFileSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { ownerOnlyMode } from "../kubeconfig/kubeconfigFile.ts"
import { CannotWrite, replaceFile } from "../../platform/replaceFile.ts"
import { printToStderr } from "../terminal/terminal.ts"
import { randomToken } from "../../cluster/serving/serveCluster.ts"
import { checkServeOptions } from "../../cluster/serving/checkServeOptions.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { BadInput } from "../input/badInput.ts"

/** The file keeps the token for later starts. Warns of a file that others can read. */
export const readOrCreateToken = (file: string): Effect.Effect<string, BadInput> =>
  Effect.suspend(() => {
    if (file === "") return Effect.fail(badInput("--token-file needs the path of a file"))
    try {
      const token = existsSync(file) ? readFileSync(file, "utf8").trim() : createTokenFile(file)
      const invalid = checkServeOptions({ token })
      if (invalid !== undefined)
        return Effect.fail(badInput(...invalid.problems.map((problem) => `--token-file ${file}: ${problem}`)))
      warnOfUnsafeMode(file)
      return Effect.succeed(token)
    } catch (error) {
      const why = error instanceof CannotWrite ? error.message : `${file}: ${systemErrorText(error)}`
      return Effect.fail(badInput(`--token-file ${why}`))
    }
  })

const createTokenFile = (file: string): string => {
  const token = randomToken()
  replaceFile(file, `${token}\n`, { mode: ownerOnlyMode })
  return token
}

const groupAndOthersMode = 0o066

const warnOfUnsafeMode = (file: string): void => {
  const stats = statSync(file)
  // Windows has no such modes.
  if (process.platform === "win32" || !stats.isFile() || (stats.mode & groupAndOthersMode) === 0) return
  const mode = (stats.mode & 0o777).toString(8)
  printToStderr(
    `warning: other users can read or change ${file} (mode ${mode}), and its token lets them in: chmod 600 ${file}`
  )
}
