import type * as Core from "kubernetes-types/core/v1.js"
import { formatQuantity, parseQuantity, roundToMilliValue } from "../../meta/amounts/quantity.ts"
import {
  changeEach,
  changeField,
  fillDefaults,
  fillPointers,
  memoizeChange,
  withField
} from "../../validation/structuralSharing.ts"

/** Source: pkg/apis/core/v1/defaults.go. */
export const defaultContainer = memoizeChange((container: Core.Container): Core.Container => {
  const filled = fillDefaults(container, {
    imagePullPolicy: pullPolicyOf(container.image ?? ""),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    resources: {}
  })
  const withParts = withPorts(withEnv(withProbesAndHooks(filled)))
  return changeField(withParts, "resources", canonicalResources)
})

/** The image of the tag `latest` may change, so it is pulled every time. */
const pullPolicyOf = (image: string): string => {
  const [name = "", digest] = image.split("@")
  const tag = /:([^/:]*)$/.exec(name)?.[1] ?? (digest === undefined && image !== "" ? "latest" : "")
  return tag === "latest" ? "Always" : "IfNotPresent"
}

const withPorts = (container: Core.Container): Core.Container =>
  changeField(container, "ports", (ports) =>
    changeEach(ports, (port) => fillDefaults(port, { protocol: "TCP" }))
  )

const withEnv = (container: Core.Container): Core.Container =>
  changeField(container, "env", (env) =>
    changeEach(env, (variable) =>
      changeField(variable, "valueFrom", (source) => changeField(source, "fieldRef", defaultFieldRef))
    )
  )

const defaultFieldRef = (reference: Core.ObjectFieldSelector): Core.ObjectFieldSelector =>
  fillDefaults(reference, { apiVersion: "v1" })

const withProbesAndHooks = (container: Core.Container): Core.Container => {
  let filled = container
  for (const field of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    filled = changeField(filled, field, defaultProbe)
  }
  return changeField(filled, "lifecycle", (lifecycle) =>
    changeField(changeField(lifecycle, "postStart", defaultHandler), "preStop", defaultHandler)
  )
}

const probeDefaults = {
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3
} as const satisfies Partial<Core.Probe>

const defaultProbe = (probe: Core.Probe): Core.Probe => {
  const missing: Partial<Core.Probe> = {}
  for (const field of ["timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] as const) {
    if ((probe[field] ?? 0) === 0) missing[field] = probeDefaults[field]
  }
  const filled = Object.keys(missing).length === 0 ? probe : { ...probe, ...missing }
  return changeField(defaultHandler(filled), "grpc", (grpc) => fillDefaults(grpc, { service: "" }))
}

const defaultHandler = <T extends { httpGet?: Core.HTTPGetAction }>(handler: T): T => {
  const { httpGet } = handler
  if (httpGet === undefined) return handler
  const filled = fillDefaults(httpGet, { path: "/", scheme: "HTTP" })
  return filled === httpGet ? handler : { ...handler, httpGet: filled }
}

export const canonicalResources = (resources: Core.ResourceRequirements): Core.ResourceRequirements =>
  changeField(changeField(resources, "limits", canonicalAmounts), "requests", canonicalAmounts)

type Amounts = { [name: string]: string }

/** Rounds quantities up to thousandths. */
export const canonicalAmounts = (amounts: Amounts): Amounts => {
  let rounded = amounts
  for (const [name, amount] of Object.entries(amounts)) {
    const quantity = parseQuantity(amount)
    const text = quantity === undefined ? amount : formatQuantity(roundToMilliValue(quantity))
    rounded = withField(rounded, name, text)
  }
  return rounded
}

const defaultFileMode = 0o644

export const defaultVolume = memoizeChange((volume: Core.Volume): Core.Volume => {
  const filled = Object.keys(volume).some((field) => field !== "name") ? volume : { ...volume, emptyDir: {} }
  let result = changeField(filled, "hostPath", (hostPath) => fillDefaults(hostPath, { type: "" }))
  result = changeField(result, "secret", (secret) => fillDefaults(secret, { defaultMode: defaultFileMode }))
  result = changeField(result, "configMap", (configMap) =>
    fillDefaults(configMap, { defaultMode: defaultFileMode })
  )
  result = changeField(result, "downwardAPI", (source) =>
    changeField(fillDefaults(source, { defaultMode: defaultFileMode }), "items", defaultDownwardItems)
  )
  result = changeField(result, "ephemeral", (ephemeral) =>
    changeField(ephemeral, "volumeClaimTemplate", (template) =>
      changeField(template, "spec", (spec) => fillPointers(spec, { volumeMode: "Filesystem" }))
    )
  )
  return changeField(result, "projected", (projected) =>
    changeField(fillDefaults(projected, { defaultMode: defaultFileMode }), "sources", (sources) =>
      changeEach(sources, defaultProjection)
    )
  )
})

const defaultDownwardItems = (items: Array<Core.DownwardAPIVolumeFile>): Array<Core.DownwardAPIVolumeFile> =>
  changeEach(items, (item) => changeField(item, "fieldRef", defaultFieldRef))

const defaultProjection = (source: Core.VolumeProjection): Core.VolumeProjection =>
  changeField(
    changeField(source, "serviceAccountToken", (token) => fillDefaults(token, { expirationSeconds: 3600 })),
    "downwardAPI",
    (downward) => changeField(downward, "items", defaultDownwardItems)
  )
