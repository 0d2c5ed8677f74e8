import type { Container, ContainerPort } from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  invalidField,
  noErrors,
  validateRequiredOneOf,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import type { NameProblems } from "../../validation/nameRules.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/**
 * Source: pkg/apis/core/validation/validation.go (validateContainerPorts, checkHostPortConflicts).
 */
export const validatePorts = (
  ports: ReadonlyArray<ShallowPartial<ContainerPort>> | undefined,
  path: string
): FieldErrors => {
  if (ports === undefined) return noErrors
  const names = new Set<string>()
  return ports.flatMap((port, index) => validatePort(port, { path: `${path}[${index}]`, names }))
}

const protocols: ReadonlyArray<string> = ["SCTP", "TCP", "UDP"]

const validatePort = (
  port: ShallowPartial<ContainerPort>,
  { path, names }: { readonly path: string; readonly names: Set<string> }
): FieldErrors => {
  const { name = "", containerPort = 0, hostPort } = port
  const errors: Array<FieldError> = []
  if (name !== "") {
    const problems = portNameProblems(name)
    if (problems.length > 0)
      for (const problem of problems) errors.push(invalidField(`${path}.name`, name, problem))
    else if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
    else names.add(name)
  }
  if (containerPort === 0) errors.push(requiredValue(`${path}.containerPort`))
  else errors.push(...validatePortNumber(containerPort, `${path}.containerPort`))
  if (hostPort !== undefined && hostPort !== 0)
    errors.push(...validatePortNumber(hostPort, `${path}.hostPort`))
  errors.push(...validateRequiredOneOf(port.protocol, protocols, `${path}.protocol`))
  return errors
}

export const validatePortNumber = (port: number, path: string): FieldErrors =>
  port >= 1 && port <= 65535 ? noErrors : [invalidField(path, port, "must be between 1 and 65535, inclusive")]

const portNameProblems = (name: string): NameProblems => {
  const problems: Array<string> = []
  if (name.length > 15) problems.push("must be no more than 15 characters")
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  }
  if (!/[a-z]/.test(name)) problems.push("must contain at least one letter (a-z)")
  if (name.includes("--")) problems.push("must not contain consecutive hyphens")
  if (name.startsWith("-") || name.endsWith("-")) problems.push("must not begin or end with a hyphen")
  return problems
}

export const validatePortReference = (port: number | string | undefined, path: string): FieldErrors =>
  typeof port === "string"
    ? portNameProblems(port).map((problem) => invalidField(path, port, problem))
    : validatePortNumber(port ?? 0, path)

export const validateHostPorts = (
  containers: ReadonlyArray<ShallowPartial<Container>>,
  path: string
): FieldErrors => {
  const errors: Array<FieldError> = []
  const usedPorts = new Set<string>()
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, port] of (container.ports ?? []).entries()) {
      if (port.hostPort === undefined || port.hostPort === 0) continue
      const portKey = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${port.hostPort}`
      if (usedPorts.has(portKey))
        errors.push(duplicateValue(`${path}[${index}].ports[${portIndex}].hostPort`, portKey))
      usedPorts.add(portKey)
    }
  }
  return errors
}
