import { snapshotPath } from "../api/snapshot.ts"
import { requestServer, isServerUnreachable, statusMessageOf, findServedContext } from "./askServer.ts"
import { refuseCommand } from "./exitCode.ts"
import { printData } from "./terminal.ts"
import { CannotWrite, replaceFile } from "../replaceFile.ts"
import { systemErrorText } from "../wordsOf.ts"
import type { ServedClusterRef } from "./askServer.ts"
import type { ExitCode } from "./exitCode.ts"

/** Saves a served cluster in a file; `-` is the standard output. */
export const saveSnapshot = async (
  options: ServedClusterRef & { readonly file: string }
): Promise<ExitCode> => {
  const { file } = options
  try {
    const { code, text } = await requestServer(findServedContext(options), {
      method: "GET",
      path: snapshotPath
    })
    if (code !== 200) return refuseCommand(`error: ${statusMessageOf(text)}`)
    if (file === "-") printData(text)
    else replaceFile(file, text)
    return 0
  } catch (error) {
    if (isServerUnreachable(error) || error instanceof CannotWrite)
      return refuseCommand(`error: ${error.message}`)
    return refuseCommand(`error: ${file}: ${systemErrorText(error)}`)
  }
}
