import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { groupResourceOf, kindOfResource, resources } from "../../../src/kubernetes/meta/kinds.ts"
import { parseQuery } from "../../../src/server/http/queryParameters.ts"
import { Refusal, toStatus } from "../../../src/server/http/statuses.ts"
import { adminUser } from "../../../src/kubernetes/meta/userInfo.ts"
import type { ApiAnswer, ApiCall, VerbHandler } from "../../../src/server/requests/apiCall.ts"
import type { RefusalOrStoreError } from "../../../src/server/http/statuses.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

export const podCall = (
  cluster: ClusterService,
  options: {
    readonly name: string
    readonly subresource: string
    readonly query?: string
    readonly body?: unknown
  }
): ApiCall => {
  const kind = kindOfResource(resources.pods)
  if (kind === undefined) throw new Error("Pods are not served")
  return {
    services: {
      store: cluster.store,
      view: cluster.view,
      nowMillis: cluster.nowMillis,
      isValidToken: () => true
    },
    method: options.body === undefined ? "GET" : "POST",
    target: {
      type: "resource",
      group: kind.group,
      version: kind.version,
      plural: kind.plural,
      namespace: "default",
      name: options.name,
      subresource: options.subresource,
      isWatchPath: false,
      kind,
      resource: groupResourceOf(kind)
    },
    query: parseQuery(new URLSearchParams(options.query ?? "")),
    contentType: "application/json",
    userAgent: "tests",
    user: adminUser,
    body: Buffer.from(options.body === undefined ? "" : JSON.stringify(options.body)),
    warn: () => {}
  }
}

type Outcome = { readonly answer: ApiAnswer } | { readonly status: ReturnType<typeof toStatus> }

/** The answer of a verb, or the Status of its error. */
export const outcomeOf = (
  cluster: ClusterService,
  verb: VerbHandler,
  call: ApiCall
): Effect.Effect<Outcome> =>
  Effect.map(Effect.exit(cluster.run(Effect.suspend(() => verb(call)))), (exit) => {
    if (Exit.isSuccess(exit)) return { answer: exit.value }
    const error = Cause.squash(exit.cause)
    if (error instanceof Refusal || (error instanceof Error && "_tag" in error)) {
      return { status: toStatus(error as RefusalOrStoreError) }
    }
    throw error
  })
