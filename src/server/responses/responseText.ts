import { stringify } from "yaml"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { encodeItem, encodeObject } from "../http/encodeJson.ts"
import { toPartialMetadata, toTable } from "../tables/objectTable.ts"
import { toServedKind } from "../conversion/kindConversion.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ResponseFormat } from "../http/negotiateFormat.ts"
import type { ListAnswer, ObjectAnswer, StatusAnswer } from "../requests/apiCall.ts"
import type { QueryParameters } from "../http/queryParameters.ts"

export interface ResponseOptions {
  readonly format: ResponseFormat
  readonly query: QueryParameters
  readonly kind: Kind
  readonly nowMillis: number
  readonly pretty: boolean
}

export const responseText = (
  answer: ObjectAnswer | ListAnswer | StatusAnswer,
  options: ResponseOptions
): string => {
  const json = jsonOf(answer, options)
  if (options.format.yaml) return stringify(JSON.parse(json))
  return options.pretty ? `${JSON.stringify(JSON.parse(json), undefined, 2)}\n` : `${json}\n`
}

const jsonOf = (answer: ObjectAnswer | ListAnswer | StatusAnswer, options: ResponseOptions): string => {
  switch (answer.type) {
    case "status":
      return JSON.stringify(answer.status)
    case "object":
      return objectJson(answer.object, options)
    case "list":
      return listJson(answer, options)
  }
}

const objectJson = (stored: KubeObject, { format, query, kind, nowMillis }: ResponseOptions): string => {
  // The columns of a table read an object in its stored version, whichever is served.
  const unconverted = withoutEmptyResourceVersion(stored)
  const object = toServedKind(kind, unconverted)
  switch (format.form) {
    case "table": {
      const { resourceVersion } = object.metadata
      return JSON.stringify(
        toTable([unconverted], {
          kind,
          nowMillis,
          query,
          version: format.version,
          metadata: { resourceVersion }
        })
      )
    }
    case "metadata":
    case "metadataList":
      return JSON.stringify(toPartialMetadata(object, format.version))
    case "plain":
      return encodeObject(object)
  }
}

/** A dry run's object has no resource version. */
const withoutEmptyResourceVersion = (object: KubeObject): KubeObject => {
  const { resourceVersion, ...metadata } = object.metadata
  return resourceVersion === "" ? ({ ...object, metadata } as KubeObject) : object
}

const listJson = ({ kind, page }: ListAnswer, { format, query, nowMillis }: ResponseOptions): string => {
  const metadata = {
    resourceVersion: page.resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount })
  }
  switch (format.form) {
    case "table":
      return JSON.stringify(
        toTable(page.items, { kind, nowMillis, query, version: format.version, metadata })
      )
    case "metadata":
    case "metadataList":
      return JSON.stringify({
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${format.version}`,
        metadata,
        items: page.items.map((object) => toPartialMetadata(object, format.version))
      })
    case "plain": {
      // Clients know the item type of built-in lists; custom resources state it on each item.
      const encode = kind.custom === undefined ? encodeItem : encodeObject
      const items = page.items.map((object) => encode(toServedKind(kind, object))).join(",")
      const head = `"kind":"${kind.custom?.listKind ?? `${kind.kind}List`}","apiVersion":"${apiVersionOf(kind)}"`
      return `{${head},"metadata":${JSON.stringify(metadata)},"items":[${items}]}`
    }
  }
}

const commonHeaders = {
  "cache-control": "no-cache, private",
  "x-content-type-options": "nosniff"
} as const

export const responseHeaders = (
  contentType: string,
  {
    warnings = [],
    extraHeaders = {}
  }: { readonly warnings?: ReadonlyArray<string>; readonly extraHeaders?: object } = {}
): Record<string, string | Array<string>> => ({
  ...commonHeaders,
  "content-type": contentType,
  ...(warnings.length === 0 ? {} : { warning: warnings.slice(0, warningsMax).map(warningHeader) }),
  ...extraHeaders
})

const warningsMax = 64
const warningTextMax = 256

/** Source: RFC 7234, 5.5; staging/src/k8s.io/apimachinery/pkg/util/net/http.go (NewWarningHeader). */
const warningHeader = (text: string): string => {
  const safe = text.slice(0, warningTextMax).replaceAll(/[^\x20-\x7e]/g, "?")
  return `299 - "${safe.replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`
}
