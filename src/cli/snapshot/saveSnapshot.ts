import { snapshotPath } from "../../server/charthouse/snapshotEndpoint.ts"
import {
  requestServer,
  isServerUnreachable,
  statusMessageOf,
  findServedContext
} from "../served/requestServer.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { printData } from "../terminal/terminal.ts"
import { CannotWrite, replaceFile } from "../../platform/replaceFile.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { ServedClusterRef } from "../served/requestServer.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

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
