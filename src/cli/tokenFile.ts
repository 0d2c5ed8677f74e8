import { existsSync, readFileSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { ownerOnly } from "./kubeconfigFile.ts"
import { CannotWrite, replaceFile } from "../replaceFile.ts"
import { complain } from "./terminal.ts"
import { freshToken } from "../serve.ts"
import { refuseServeOptions } from "../serveOptions.ts"
import { wordsOf } from "../wordsOf.ts"
import type { BadInput } from "./badInput.ts"

/**
 * The token in a file, without the white space around it. A missing file is made, for its owner alone, with a new
 * token, so that a server that is started again has the token that its clients know. Fails where the file cannot be
 * read or made, or holds what is no token. Warns of a file that other users can read or change.
 */
export const tokenIn = (file: string): Effect.Effect<string, BadInput> =>
  Effect.suspend(() => {
    if (file === "") return Effect.fail(badInput("--token-file needs the path of a file"))
    try {
      const token = existsSync(file) ? readFileSync(file, "utf8").trim() : make(file)
      const refused = refuseServeOptions({ token })
      if (refused !== undefined)
        return Effect.fail(badInput(...refused.problems.map((problem) => `--token-file ${file}: ${problem}`)))
      warnOfOthers(file)
      return Effect.succeed(token)
    } catch (error) {
      const why = error instanceof CannotWrite ? error.message : `${file}: ${wordsOf(error)}`
      return Effect.fail(badInput(`--token-file ${why}`))
    }
  })

const make = (file: string): string => {
  const token = freshToken()
  replaceFile(file, `${token}\n`, { mode: ownerOnly })
  return token
}

const groupAndOthers = 0o066

const warnOfOthers = (file: string): void => {
  const stats = statSync(file)
  // On Windows the mode says nothing of other users.
  if (process.platform === "win32" || !stats.isFile() || (stats.mode & groupAndOthers) === 0) return
  const mode = (stats.mode & 0o777).toString(8)
  complain(
    `warning: other users can read or change ${file} (mode ${mode}), and its token lets them in: chmod 600 ${file}`
  )
}
