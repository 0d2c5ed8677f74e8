import type { ServedCluster } from "../cluster/calls/clusterCalls.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

export class NotOnRealCluster extends Error {
  override readonly name = "NotOnRealCluster"
}

/** A write to what the test has not created. */
export class ForeignWrite extends Error {
  override readonly name = "ForeignWrite"
}

/** Objects of the test could not be deleted. */
export class LeftBehind extends Error {
  override readonly name = "LeftBehind"
}

const clockReason = "the time of a real cluster cannot be moved"
const interceptReason = "no interceptor stands between a real cluster and its clients"
const faultReason = "no fault can be injected into a real cluster"
const snapshotReason = "no snapshot can be taken of a real cluster"

/** Members of `cluster.requests`; that object itself can be read. */
const requestLogMembers = ["all", "next", "clear", "seen", "dropped", "underWay", "sleeping", "watching"]

const unsupportedMembers: Readonly<Record<string, string>> = {
  advance: clockReason,
  fault: faultReason,
  faults: faultReason,
  setKubelet: faultReason,
  snapshot: snapshotReason,
  fork: snapshotReason,
  bind: "a real cluster has a scheduler of its own",
  fetch: "a real cluster is reached over the network alone: ask its serve() for the kubeconfig",
  onChange: "a real cluster reports changes with a delay: use watch"
}

const clockMembers = ["step", "pause", "resume", "setSpeed"]

const refuse = (name: string, reason: string): never => {
  const advice = "ask cluster.isReal or cluster.canMoveTime before, or test without CHARTHOUSE_USE_KUBECONFIG"
  throw new NotOnRealCluster(`${name}: ${reason}: ${advice}`)
}

const addThrowingMember = (object: object, name: string, reason: string): void => {
  if (name in object) return
  // Not enumerable, so that printing the cluster does not throw.
  Object.defineProperty(object, name, { enumerable: false, get: () => refuse(name, reason) })
}

export const withUnsupportedToken = (server: Omit<ServedCluster, "token">): ServedCluster => {
  addThrowingMember(server, "token", `the kubeconfig has the credentials of a real cluster (${server.url})`)
  return server as ServedCluster
}

/** What a real cluster does not support throws `NotOnRealCluster`. */
export const withUnsupportedMembers = (
  supported: Pick<ClusterUnderTest, "isReal" | "serve"> & { readonly clock: object },
  url: string
): ClusterUnderTest => {
  const addThrowing = (object: object, names: ReadonlyArray<readonly [string, string]>): void => {
    for (const [name, reason] of names) addThrowingMember(object, name, `${reason} (${url})`)
  }
  const requests = {}
  addThrowing(
    requests,
    requestLogMembers.map((name) => [name, interceptReason])
  )
  Object.assign(supported, { requests, intercept: () => refuse("intercept", `${interceptReason} (${url})`) })
  addThrowing(supported, Object.entries(unsupportedMembers))
  addThrowing(
    supported.clock,
    clockMembers.map((name) => [name, clockReason])
  )
  return supported as ClusterUnderTest
}
