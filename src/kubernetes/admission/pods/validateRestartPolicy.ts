import {
  noErrors,
  requiredValue,
  tooManyItems,
  unsupportedValue,
  validateRequiredOneOf,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import type { ContainerRestartFields, RestartRule } from "../../pods/containers/restartPolicies.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

const policies: ReadonlyArray<string> = ["Always", "Never", "OnFailure"]
const actions: ReadonlyArray<string> = ["Restart", "RestartAllContainers"]
const operators: ReadonlyArray<string> = ["In", "NotIn"]
const rulesMax = 20
const exitCodesMax = 255

/** Source: pkg/apis/core/validation/validation.go (validateContainerRestartPolicy). */
export const validateContainerRestartPolicy = (
  { restartPolicy, restartPolicyRules = [] }: ShallowPartial<ContainerRestartFields>,
  path: string
): FieldErrors => [
  ...validatePolicy(restartPolicy, restartPolicyRules.length > 0, `${path}.restartPolicy`),
  ...(restartPolicyRules.length > rulesMax
    ? [tooManyItems(`${path}.restartPolicyRules`, { actual: restartPolicyRules.length, max: rulesMax })]
    : noErrors),
  ...restartPolicyRules.flatMap((rule, index) => validateRule(rule, `${path}.restartPolicyRules[${index}]`))
]

const validatePolicy = (policy: string | undefined, hasRules: boolean, path: string): FieldErrors => {
  if (policy === undefined)
    return hasRules
      ? [requiredValue(path, "must specify restartPolicy when restart rules are used")]
      : noErrors
  return policies.includes(policy) ? noErrors : [unsupportedValue(path, policy, policies)]
}

const validateRule = ({ action = "", exitCodes }: RestartRule, path: string): FieldErrors => {
  const actionErrors = actions.includes(action)
    ? noErrors
    : [unsupportedValue(`${path}.action`, action, actions)]
  if (exitCodes === undefined)
    return [...actionErrors, requiredValue(`${path}.exitCodes`, "must be specified")]
  const { operator = "", values = [] } = exitCodes
  return [
    ...actionErrors,
    ...validateRequiredOneOf(operator, operators, `${path}.exitCodes.operator`),
    ...(values.length > exitCodesMax
      ? [tooManyItems(`${path}.exitCodes.values`, { actual: values.length, max: exitCodesMax })]
      : noErrors)
  ]
}
