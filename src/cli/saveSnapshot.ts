import { snapshotPath } from "../api/snapshot.ts"
import { askServer, isNobodyThere, messageIn, servedAs } from "./askServer.ts"
import { refuse } from "./exitCode.ts"
import { printData } from "./terminal.ts"
import { CannotWrite, replaceFile } from "../replaceFile.ts"
import { wordsOf } from "../wordsOf.ts"
import type { ServedPlace } from "./askServer.ts"
import type { ExitCode } from "./exitCode.ts"

/** Saves a served cluster in a file; `-` is the standard output. */
export const saveSnapshot = async (options: ServedPlace & { readonly file: string }): Promise<ExitCode> => {
  const { file } = options
  try {
    const { code, text } = await askServer(servedAs(options), { method: "GET", path: snapshotPath })
    if (code !== 200) return refuse(`error: ${messageIn(text)}`)
    if (file === "-") printData(text)
    else replaceFile(file, text)
    return 0
  } catch (error) {
    if (isNobodyThere(error) || error instanceof CannotWrite) return refuse(`error: ${error.message}`)
    return refuse(`error: ${file}: ${wordsOf(error)}`)
  }
}
