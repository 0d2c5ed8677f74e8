import { parseQuantity, quantityMillis } from "../meta/amounts/quantity.ts"
import type { PodSpec } from "../meta/objects.ts"

/**
 * CPU and memory requests of a Pod: the sum of its containers and sidecars, or its largest step of initialization
 * if that is more. A sidecar runs from its turn among the init containers on.
 *
 * Source: staging/src/k8s.io/component-helpers/resource/helpers.go (PodRequests).
 */
export interface PodRequests {
  readonly cpuMillis: bigint
  /** Thousandths of a byte. */
  readonly memoryMillis: bigint
}

export const noPodRequests: PodRequests = { cpuMillis: 0n, memoryMillis: 0n }

type Containers = NonNullable<PodSpec["containers"]>

/** Pods of one ReplicaSet share their containers, so the sum is computed once. */
const requestsByContainers = new WeakMap<
  Containers,
  { readonly of: PodSpec; readonly requests: PodRequests }
>()

export const podRequestsOf = (spec: PodSpec): PodRequests => {
  const cached = requestsByContainers.get(spec.containers)
  if (cached !== undefined && hasSameRest(cached.of, spec)) {
    return cached.requests
  }
  const requests = {
    cpuMillis: amountOf(spec, "cpu"),
    memoryMillis: amountOf(spec, "memory")
  }
  if (Object.isFrozen(spec.containers)) requestsByContainers.set(spec.containers, { of: spec, requests })
  return requests
}

const hasSameRest = (a: PodSpec, b: PodSpec): boolean =>
  a.initContainers === b.initContainers && a.overhead === b.overhead

const amountOf = (spec: PodSpec, resource: string): bigint => {
  const requestOf = ({ resources }: Containers[number]): bigint =>
    parseQuantityMillis(resources?.requests?.[resource])
  let sidecars = 0n
  let largestStep = 0n
  for (const container of spec.initContainers ?? []) {
    const amount = requestOf(container)
    const isSidecar = container.restartPolicy === "Always"
    largestStep = larger(largestStep, sidecars + amount)
    if (isSidecar) sidecars += amount
  }
  const running = spec.containers.reduce((sum, container) => sum + requestOf(container), sidecars)
  return larger(running, largestStep) + parseQuantityMillis(spec.overhead?.[resource])
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Parses an amount to thousandths; 0 if missing or invalid. */
export const parseQuantityMillis = (text: string | undefined): bigint => {
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return quantity === undefined ? 0n : quantityMillis(quantity)
}
