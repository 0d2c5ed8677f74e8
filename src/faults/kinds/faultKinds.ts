import { clockFaults } from "./clockFaults.ts"
import { controllerFaults } from "./controllerFaults.ts"
import { nodeFaults } from "./nodeFaults.ts"
import { podFaultKinds } from "./podFaultKinds.ts"
import { quotaFaults } from "./quotaFaults.ts"
import { watchFaults } from "./watchFaults.ts"
import { writeFaults } from "./writeFaults.ts"
import type { Fault, FaultName } from "../fault.ts"
import type { FaultKind, FaultKinds } from "../faultKind.ts"

const kinds: FaultKinds = {
  ...podFaultKinds,
  ...nodeFaults,
  ...quotaFaults,
  ...controllerFaults,
  ...writeFaults,
  ...watchFaults,
  ...clockFaults
}

export const faultNames: ReadonlyArray<string> = Object.keys(kinds)

export const kindOf = ({ fault: name }: Fault): FaultKind<FaultName> =>
  kinds[name] as object as FaultKind<FaultName>
