import * as Effect from "effect/Effect"
import { resources, type GroupResource } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import {
  defaultTokenRequest,
  podBindingProblem,
  tokenRequestNameErrors,
  validateTokenRequest
} from "../../kubernetes/core/tokenRequests.ts"
import { tokenIssuerOf } from "../access/tokenIssuer.ts"
import { badRequest } from "../http/statuses.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import { decodeBody } from "../requests/decodeBody.ts"
import { tokenRequestKind } from "../requests/subresourceKinds.ts"
import { findObject } from "../verbs/readVerbs.ts"
import { Conflict, NotFound } from "../../store/storeErrors.ts"
import { invalidObject } from "../../store/storeRefusals.ts"
import type { Draft, KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { BoundObject, BoundObjectRef, TokenRequestSpec } from "../../kubernetes/core/tokenRequests.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"
import type { ApiCall, VerbHandler } from "../requests/apiCall.ts"

/** Source: pkg/registry/core/serviceaccount/storage/token.go (TokenREST). */
export const createTokenVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { name = "", namespace } = target
    const body: Draft & { readonly spec?: Partial<TokenRequestSpec> } = decodeBody(
      call,
      tokenRequestKind,
      "CreateOptions"
    )
    const nameErrors = tokenRequestNameErrors(body.metadata, { name, namespace })
    if (nameErrors.length > 0) return Effect.fail(invalidObject(tokenRequestKind, name, nameErrors))
    return Effect.gen(function* () {
      const account = yield* findObject(call)
      const request = defaultTokenRequest(body)
      const errors = validateTokenRequest(request)
      if (errors.length > 0) return yield* Effect.fail(invalidObject(tokenRequestKind, "", errors))
      const bound = yield* findBoundObject(call, request.spec.boundObjectRef)
      const nowMillis = services.nowMillis()
      const token = tokenIssuerOf(services.view).issue(request.spec, { account, bound, nowMillis })
      const { metadata, spec } = request
      const expirationTimestamp = timestampOf(nowMillis + spec.expirationSeconds * 1000)
      return toObjectAnswer(
        {
          kind: tokenRequestKind.kind,
          apiVersion: "authentication.k8s.io/v1",
          metadata: { ...metadata, name, namespace, creationTimestamp: timestampOf(nowMillis) },
          spec,
          status: { token, expirationTimestamp }
          // The object is not stored, and so has no uid or resource version.
        } as object as KubeObject,
        201
      )
    })
  })

const bindableResources: Readonly<Record<BoundObject["kind"], GroupResource>> = {
  Pod: resources.pods,
  Node: resources.nodes,
  Secret: resources.secrets
}

const isBindable = (kind: string): kind is BoundObject["kind"] => Object.hasOwn(bindableResources, kind)

const findBoundObject = (
  { services, target }: ApiCall,
  ref: BoundObjectRef | undefined
): Effect.Effect<BoundObject | undefined, RefusalOrStoreError> => {
  if (ref === undefined) return Effect.succeed(undefined)
  const { apiVersion = "", kind = "", name = "", uid = "" } = ref
  const [version = "", group = ""] = apiVersion.split("/").toReversed()
  if (group !== "" || !isBindable(kind)) {
    return Effect.fail(badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`))
  }
  const resource = bindableResources[kind]
  const object = services.view.get(
    resource,
    toObjectKey(kind === "Node" ? undefined : target.namespace, name)
  )
  if (object === undefined) return Effect.fail(new NotFound({ resource, resourceName: name }))
  const problem = kind === "Pod" ? podBindingProblem(target.name ?? "", object as Pod) : undefined
  if (problem !== undefined) return Effect.fail(badRequest(problem))
  if (uid !== "" && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    return Effect.fail(new Conflict({ resource: kind, resourceName: name, why }))
  }
  if (kind !== "Pod") return Effect.succeed({ kind, object })
  const { nodeName } = (object as Pod).spec
  if (nodeName === undefined || nodeName === "") return Effect.succeed({ kind, object })
  const node = services.view.get(resources.nodes, nodeName)
  const nodeClaim = { name: nodeName, ...(node === undefined ? {} : { uid: node.metadata.uid }) }
  return Effect.succeed({ kind, object, node: nodeClaim })
}
