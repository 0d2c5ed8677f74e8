import type * as Core from "kubernetes-types/core/v1.js"

export const probeFields = ["startupProbe", "readinessProbe", "livenessProbe"] as const

export type ProbeField = (typeof probeFields)[number]

export interface ProbePort {
  readonly field: ProbeField
  readonly port: number | string
}

/**
 * A probe of an undeclared port name is never answered; one of an undeclared number may be. Source:
 * probe/util.go (ResolveContainerPort).
 */
export const undeclaredProbePorts = (container: Core.Container): ReadonlyArray<ProbePort> =>
  probeFields.flatMap((field) => {
    const port = undeclaredPort(container, field)
    return port === undefined ? [] : [{ field, port }]
  })

const undeclaredPort = (container: Core.Container, field: ProbeField): number | string | undefined => {
  const probe = container[field]
  const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port ?? probe?.grpc?.port
  return port === undefined || isDeclared(container, port) ? undefined : port
}

/** A container that declares no port may listen on any port number. */
const isDeclared = ({ ports = [] }: Core.Container, port: number | string): boolean => {
  const number = Number(port)
  return Number.isInteger(number)
    ? ports.length === 0 || ports.some(({ containerPort }) => containerPort === number)
    : ports.some(({ name }) => name === port)
}

export const probesUndeclaredPortName = (container: Core.Container, field: ProbeField): boolean => {
  const port = undeclaredPort(container, field)
  return port !== undefined && !Number.isInteger(Number(port))
}
