import fc from "fast-check"
import { validRequests } from "./validRequests.ts"

export type HostileRequest =
  | {
      readonly type: "http"
      readonly method: string
      readonly path: string
      readonly body: string | undefined
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly type: "raw"; readonly text: string; readonly hangsUp: boolean }

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]

const names = [
  "a",
  "web",
  "default",
  "kube-system",
  "crontabs.stable.example.com",
  "__proto__",
  "constructor"
]
const hostileSegments = [
  ..."%00 %2e%2e .. . %2F %ff % %E0%A4%A toString hasOwnProperty * ~ a;b %F0%9F%92%A5 A".split(" "),
  "x".repeat(300)
]
const segment = fc.oneof(
  { arbitrary: fc.constantFrom(...names), weight: 6 },
  { arbitrary: fc.constantFrom(...hostileSegments), weight: 2 }
)
const collections = [
  ...[
    "pods",
    "configmaps",
    "secrets",
    "services",
    "events",
    "serviceaccounts",
    "endpoints",
    "resourcequotas"
  ].map((plural) => `/api/v1/namespaces/default/${plural}`),
  "/api/v1/namespaces",
  "/api/v1/nodes",
  "/api/v1/pods",
  "/api/v1/watch/pods",
  "/api/v1/bindings",
  ...["deployments", "replicasets", "statefulsets"].map(
    (plural) => `/apis/apps/v1/namespaces/default/${plural}`
  ),
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/stable.example.com/v1/namespaces/default/crontabs",
  "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
  "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
  "/apis/coordination.k8s.io/v1/namespaces/default/leases",
  "/apis/events.k8s.io/v1/namespaces/default/events",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authentication.k8s.io/v1/tokenreviews"
]
const documents = [
  "/",
  "/api",
  "/apis",
  "/version",
  "/openapi/v2",
  "/openapi/v3",
  "/healthz",
  "/apis/apps",
  "/metrics"
]
const subresources = [
  "status",
  "scale",
  "log",
  "binding",
  "eviction",
  "finalize",
  "__proto__",
  "exec",
  "constructor"
]

const path = fc.oneof(
  { arbitrary: fc.constantFrom(...collections), weight: 4 },
  {
    arbitrary: fc.tuple(fc.constantFrom(...collections), segment).map((parts) => parts.join("/")),
    weight: 5
  },
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...collections), segment, fc.constantFrom(...subresources))
      .map((parts) => parts.join("/")),
    weight: 2
  },
  { arbitrary: fc.constantFrom(...documents), weight: 1 },
  { arbitrary: fc.array(segment, { maxLength: 9 }).map((parts) => `/${parts.join("/")}`), weight: 1 }
)

const numbers = [
  "-1",
  "0",
  "1",
  "2",
  "999999999999999999",
  "1e9",
  "x",
  "",
  "NaN",
  "%00",
  "9223372036854775808"
]
const values: Readonly<Record<string, ReadonlyArray<string>>> = {
  limit: numbers,
  resourceVersion: [...numbers.filter((it) => !it.startsWith("9")), "latest"],
  resourceVersionMatch: ["Exact", "NotOlderThan", "exact", "__proto__"],
  continue: ["x", "eyJ2IjoxfQ", "e30", "bnVsbA", "W10", "%00"],
  labelSelector: [
    "a=b",
    "a in (",
    "!",
    "a>b",
    "((((",
    ",,,,",
    "a notin (b,c)",
    `${"a,".repeat(200)}a`,
    "a=%22"
  ],
  fieldSelector: ["metadata.name=a", "x=y", "=", "status.phase!=", "metadata.name", "\\\\\\", "__proto__=1"],
  dryRun: ["All", "None", "all", "All&dryRun=All"],
  fieldValidation: ["Strict", "Warn", "Ignore", "strict"],
  fieldManager: ["me", "%00", "x".repeat(200), "%F0%9F%92%A5"],
  force: ["true", "false", "maybe"],
  gracePeriodSeconds: numbers,
  propagationPolicy: ["Foreground", "Background", "Orphan", "constructor"],
  orphanDependents: ["true", "x"],
  pretty: ["1", "x"],
  includeObject: ["Object", "None", "x"],
  container: ["app", "__proto__"],
  tailLines: numbers
}
const parameter = fc
  .constantFrom(...Object.keys(values))
  .chain((name) => fc.constantFrom(...(values[name] ?? [])).map((value) => `${name}=${value}`))
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((parts) => (parts.length === 0 ? "" : `?${parts.join("&")}`))

const accept = fc.constantFrom(
  "application/json",
  "application/yaml",
  "*/*",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
  "application/vnd.kubernetes.protobuf",
  "text/html",
  ";;;,,,q=x",
  "__proto__",
  "application/json;q=0"
)
const contentType = fc.constantFrom(
  "application/json",
  "application/json; charset=utf-8",
  "application/yaml",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/vnd.kubernetes.protobuf",
  "constructor",
  "__proto__",
  ""
)

const numbersOfAny: ReadonlyArray<unknown> = [null, true, false, 0, -1, 1.5, 1e308, 2 ** 53]
const texts = [
  "",
  "a",
  "web",
  "1",
  "10Gi",
  "2026-01-01T00:00:00Z",
  "%",
  "\u0000",
  "\ud800",
  "💥",
  "x".repeat(70)
]
const scalar = fc.constantFrom(...numbersOfAny, ...texts)
const fieldNames = [
  "metadata name namespace labels annotations spec status data kind apiVersion finalizers ownerReferences",
  "managedFields resourceVersion uid generateName template containers image selector matchLabels replicas items",
  "rules versions schema __proto__ constructor prototype toString length $patch $retainKeys op path value"
].flatMap((names) => names.split(" "))
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: false },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.array(tie("value"), { maxLength: 3 }), weight: 1 },
    {
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...fieldNames), tie("value")), { maxLength: 5 })
        .map((entries) => Object.fromEntries(entries)),
      weight: 3
    }
  )
})).value

const validObjects = validRequests.map(({ object }) => object)
/** The value with the part at a path of turns replaced. */
const replacePart = (
  value: unknown,
  [turn = 0, ...turns]: ReadonlyArray<number>,
  other: unknown
): unknown => {
  if (typeof value !== "object" || value === null || turns.length === 0) return other
  const keys = Object.keys(value)
  const chosen = keys[turn % Math.max(1, keys.length)]
  if (chosen === undefined) return other
  const next = replacePart(Reflect.get(value, chosen), turns, other)
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === chosen ? next : item))
  return { ...value, [chosen]: next }
}

const mutated = fc
  .tuple(fc.constantFrom(...validObjects), fc.array(fc.nat(9), { minLength: 1, maxLength: 7 }), anything)
  .map(([value, turns, other]) => replacePart(value, turns, other))
const pointer = fc
  .array(fc.constantFrom("metadata", "spec", "data", "-", "0", "__proto__", "~0", "~1", "~2", ""), {
    maxLength: 4
  })
  .map((parts) => parts.map((part) => `/${part}`).join(""))
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "x"),
  path: pointer,
  from: pointer,
  value: anything
})

const malformedBodies = [
  "[".repeat(5000),
  `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`,
  `${"[".repeat(300)}${"]".repeat(300)}`,
  `a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]`,
  "- ".repeat(3000),
  "? ".repeat(3000),
  `a: ${"!!str ".repeat(2000)}`,
  "%YAML 1.9\n--- !!js/function 'x'",
  '{"__proto__":{"polluted":1},"metadata":{"name":"p","labels":{"__proto__":"x"}}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"metadata":{"name":"a","name":"b"}}',
  "\u0000\u0001k8s\u0000",
  "k8s\u0000\u000a\u0004\u000a\u0002v1",
  "null",
  '"text"',
  "1e999",
  "{}",
  "",
  "x".repeat(100_000)
]
const json = (value: unknown): string => JSON.stringify(value) ?? ""
const body = fc.oneof(
  { arbitrary: fc.constantFrom(...validObjects).map(json), weight: 4 },
  { arbitrary: mutated.map(json), weight: 8 },
  { arbitrary: anything.map(json), weight: 3 },
  { arbitrary: fc.array(operation, { maxLength: 4 }).map(json), weight: 3 },
  { arbitrary: fc.tuple(mutated, fc.nat(200)).map(([value, at]) => json(value).slice(0, at)), weight: 2 },
  { arbitrary: fc.constantFrom(...malformedBodies), weight: 2 },
  { arbitrary: fc.constant(undefined), weight: 2 }
)

const anyRequest = fc
  .record({ method: fc.constantFrom(...methods), path, query, accept, contentType, body })
  .map(
    ({
      method,
      path: at,
      query: queryText,
      accept: wanted,
      contentType: type,
      body: sent
    }): HostileRequest => {
      const headers = { accept: wanted, ...(type === "" ? {} : { "content-type": type }) }
      return { type: "http", method, path: `${at}${queryText}`, body: sent, headers }
    }
  )

const patchTypes = ["merge-patch+json", "strategic-merge-patch+json", "json-patch+json", "apply-patch+yaml"]
const methodsAndSubresources = fc.constantFrom(
  ...["POST", "POST", "POST", "PUT", "PATCH", "PATCH", "GET", "DELETE"].map((method) => ({
    method,
    below: ""
  })),
  ...["PUT", "PATCH"].flatMap((method) => ["/status", "/scale"].map((below) => ({ method, below })))
)
const mostly = <A>(usual: A, others: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 5 }, { arbitrary: others, weight: 1 })

/** An accepted request with at most one part of its body replaced. */
const nearlyValidRequest = fc
  .record({
    aim: fc.constantFrom(...validRequests),
    deed: methodsAndSubresources,
    turns: fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }),
    other: fc.option(anything, { nil: undefined, freq: 2 }),
    operations: fc.array(operation, { maxLength: 3 }),
    patchType: fc.constantFrom(...patchTypes),
    wanted: mostly("application/json", accept),
    queryText: mostly("", query)
  })
  .map(
    ({
      aim,
      deed: { method, below },
      turns,
      other,
      operations,
      patchType,
      wanted,
      queryText
    }): HostileRequest => {
      const isNew = method === "POST"
      const type = method === "PATCH" ? patchType : "json"
      const object = other === undefined ? aim.object : replacePart(aim.object, turns, other)
      const sent = type === "json-patch+json" ? operations : object
      const manager =
        type === "apply-patch+yaml" && queryText === "" ? "?fieldManager=fuzz&force=true" : queryText
      const at = isNew ? aim.collection : `${aim.collection}/${aim.name}${below}`
      const headers = { accept: wanted, "content-type": `application/${type}` }
      const hasBody = method !== "GET" && method !== "DELETE"
      return {
        type: "http",
        method,
        path: `${at}${manager}`,
        body: hasBody ? json(sent) : undefined,
        headers
      }
    }
  )

const head = "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n"
const rawTexts = [
  `CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${head}\r\n`,
  `GET http://elsewhere.example/api HTTP/1.1\r\n${head}\r\n`,
  `GET //elsewhere.example/api HTTP/1.1\r\n${head}\r\n`,
  `GET /api HTTP/1.1\r\n${head}Host: other\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: elsewhere.example\r\nAuthorization: Bearer TOKEN\r\n\r\n`,
  `GET /api HTTP/1.0\r\n\r\n`,
  `GET /${"x".repeat(40_000)} HTTP/1.1\r\n${head}\r\n`,
  `GET /api HTTP/1.1\r\n${head}${"X: y\r\n".repeat(3000)}\r\n`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Content-Length: -5\r\n\r\n`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Content-Length: 99999999999\r\n\r\n{`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  `POST /api/v1/namespaces HTTP/1.1\r\n${head}Expect: a miracle\r\nContent-Length: 2\r\n\r\n{}`,
  `GET /version HTTP/1.1\r\n${head}\r\nGET /version HTTP/1.1\r\n${head}\r\nGARBAGE\r\n\r\n`,
  `GET /api HTTP/1.1\r\n${head}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000",
  "GET /api\r\n\r\n",
  "\r\n\r\n\r\n",
  `GET /a\u0000b HTTP/1.1\r\n${head}\r\n`
]
const rawRequest = fc
  .record({ text: fc.constantFrom(...rawTexts), hangsUp: fc.boolean() })
  .map((it): HostileRequest => ({ type: "raw", ...it }))

export const hostileRequests: fc.Arbitrary<HostileRequest> = fc.oneof(
  { arbitrary: nearlyValidRequest, weight: 60 },
  { arbitrary: anyRequest, weight: 40 },
  { arbitrary: rawRequest, weight: 2 }
)
