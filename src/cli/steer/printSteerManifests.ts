import { printData } from "../terminal/terminal.ts"
import { steerManifests } from "../../steer/steerManifests.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { SteerManifestsOptions } from "../../steer/steerManifests.ts"

/** Prints the objects that run `charthouse steer` in a cluster. */
export const printSteerManifests = (options: SteerManifestsOptions): ExitCode => {
  printData(steerManifests(options))
  return 0
}
