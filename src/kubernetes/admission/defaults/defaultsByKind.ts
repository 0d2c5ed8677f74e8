import { compileDefaults, type FieldDefault } from "./fieldDefaults.ts"
import { extensionDefaults } from "./extensionDefaults.ts"
import { infrastructureDefaults } from "./infrastructureDefaults.ts"
import { volumeDefaults } from "./volumeDefaults.ts"
import { workloadDefaults } from "./workloadDefaults.ts"
import type { FillDefaults } from "./fieldDefaults.ts"

/** By `group/Kind`; `admit.ts` has the kinds whose defaults are functions. */
export const defaultsByKind: Readonly<Record<string, ReadonlyArray<FieldDefault>>> = {
  ...workloadDefaults,
  ...volumeDefaults,
  ...extensionDefaults,
  ...infrastructureDefaults
}

export const compiledDefaultsOf = (groupKind: string): FillDefaults | undefined => {
  const rules = Object.hasOwn(defaultsByKind, groupKind) ? defaultsByKind[groupKind] : undefined
  return rules === undefined ? undefined : compileDefaults(rules)
}
