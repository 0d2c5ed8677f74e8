import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { groupResourceOf, kindOfResource, resources } from "../../src/kubernetes/meta/kinds.ts"
import { parseQuery } from "../../src/server/http/queryParameters.ts"
import { Refusal, toStatus } from "../../src/server/http/statuses.ts"
import { adminUser } from "../../src/kubernetes/meta/userInfo.ts"
import type { ApiAnswer, ApiCall, VerbHandler } from "../../src/server/requests/apiCall.ts"
import type { RefusalOrStoreError } from "../../src/server/http/statuses.ts"
import type { Living } from "../cluster/worlds.ts"

/** A request about one Pod in namespace `default`, as the handler hands it to a verb. */
export const podCall = (
  cluster: Living,
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
      knowsToken: () => true
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

/** What a verb comes to, thrown refusals included. */
export const outcomeOf = (cluster: Living, verb: VerbHandler, call: ApiCall): Effect.Effect<Outcome> =>
  Effect.map(Effect.exit(cluster.run(Effect.suspend(() => verb(call)))), (exit) => {
    if (Exit.isSuccess(exit)) return { answer: exit.value }
    const refused = Cause.squash(exit.cause)
    if (refused instanceof Refusal || (refused instanceof Error && "_tag" in refused)) {
      // Everything that verbs fail with has a tag.
      return { status: toStatus(refused as RefusalOrStoreError) }
    }
    throw refused
  })
