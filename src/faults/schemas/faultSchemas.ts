import { nearestWord } from "../../kubernetes/meta/text/nearestWord.ts"
import { clockFaultSchemas } from "./clockFaultSchemas.ts"
import { controllerFaultSchemas } from "./controllerFaultSchemas.ts"
import { nodeFaultSchemas } from "./nodeFaultSchemas.ts"
import { podFaultSchemas } from "./podFaultSchemas.ts"
import { quotaFaultSchemas } from "./quotaFaultSchemas.ts"
import { watchFaultSchemas } from "./watchFaultSchemas.ts"
import { writeFaultSchemas } from "./writeFaultSchemas.ts"
import type { FaultName, FaultTypes } from "../fault.ts"
import type { FaultSchemas } from "./faultFields.ts"

export const faultSchemas = {
  ...podFaultSchemas,
  ...nodeFaultSchemas,
  ...quotaFaultSchemas,
  ...controllerFaultSchemas,
  ...writeFaultSchemas,
  ...watchFaultSchemas,
  ...clockFaultSchemas
} as const satisfies FaultSchemas<FaultTypes>

export const faultSchemaNames: ReadonlyArray<string> = Object.keys(faultSchemas)

export const isFaultName = (name: unknown): name is FaultName =>
  typeof name === "string" && Object.hasOwn(faultSchemas, name)

export const faultNameHint = (name: unknown): string => {
  const nearestName = typeof name === "string" ? nearestWord(name, faultSchemaNames) : undefined
  return nearestName === undefined
    ? `there are ${faultSchemaNames.join(", ")}`
    : `did you mean ${nearestName}?`
}
