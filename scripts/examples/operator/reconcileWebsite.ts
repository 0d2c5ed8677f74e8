import { ApiError } from "./apiClient.ts"
import { addressFinalizer } from "./website.ts"
import type { ConfigMap, Deployment } from "charthouse"
import type { ApiClient } from "./apiClient.ts"
import type { Website } from "./website.ts"

export interface ReconcileContext {
  readonly api: ApiClient
  readonly now: () => Date
}

/** When to look at a Website again, in milliseconds; undefined: when it changes. */
export type Requeue = number | undefined

export const checkMillis = 3_600_000

/** The ConfigMap in which this operator keeps the addresses that it has given to Websites. */
export const addressBook = "website-addresses"

/** Creates and updates what the Website asks for. It may be called at any time, any number of times. */
export const reconcileWebsite = async (
  { api, now }: ReconcileContext,
  namespace: string,
  name: string
): Promise<Requeue> => {
  const path = `/apis/example.com/v1/namespaces/${namespace}/websites/${name}`
  const website = await orUndefined(api.get<Website>(path))
  if (website === undefined) return undefined
  const { metadata } = website
  const finalizers = metadata.finalizers ?? []
  const hasFinalizer = finalizers.includes(addressFinalizer)
  if (metadata.deletionTimestamp !== undefined) {
    if (!hasFinalizer) return undefined
    await setAddress(api, namespace, name, undefined)
    const otherFinalizers = finalizers.filter((finalizer) => finalizer !== addressFinalizer)
    await api.replace(path, { ...website, metadata: { ...metadata, finalizers: otherFinalizers } })
    return undefined
  }
  if (!hasFinalizer) {
    const extendedFinalizers = [...finalizers, addressFinalizer]
    await api.replace(path, { ...website, metadata: { ...metadata, finalizers: extendedFinalizers } })
    // The write is a change, which calls again.
    return undefined
  }
  await setAddress(api, namespace, name, `https://${name}.example.com`)
  const deployment = await applyDeployment(api, website, namespace)
  return reportStatus({ api, now }, website, { path, readyReplicas: deployment?.status.readyReplicas ?? 0 })
}

/** Reports the ready replicas, and when the Website was checked last, which is done every hour. */
const reportStatus = async (
  { api, now }: ReconcileContext,
  website: Website,
  { path, readyReplicas }: { readonly path: string; readonly readyReplicas: number }
): Promise<Requeue> => {
  const { status = {}, metadata } = website
  const nowMillis = now().getTime()
  const checkedMillis = status.checkedAt === undefined ? undefined : Date.parse(status.checkedAt)
  const isDue = checkedMillis === undefined || nowMillis >= checkedMillis + checkMillis
  const nextStatus = {
    observedGeneration: metadata.generation ?? 0,
    readyReplicas,
    checkedAt: isDue ? new Date(nowMillis).toISOString() : status.checkedAt
  }
  const isSame =
    nextStatus.observedGeneration === status.observedGeneration &&
    nextStatus.readyReplicas === status.readyReplicas &&
    nextStatus.checkedAt === status.checkedAt
  if (!isSame) await api.replace(`${path}/status`, { ...website, status: nextStatus })
  return isDue ? checkMillis : checkedMillis + checkMillis - nowMillis
}

const applyDeployment = async (
  api: ApiClient,
  website: Website,
  namespace: string
): Promise<Deployment | undefined> => {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const desired = deploymentFor(website)
  const present = await orUndefined(api.get<Deployment>(`${path}/${website.metadata.name}`))
  if (present === undefined) {
    await api.create(path, desired)
    return undefined
  }
  const [container] = present.spec.template.spec?.containers ?? []
  const [wanted] = desired.spec.template.spec.containers
  const isSame =
    present.spec.replicas === desired.spec.replicas &&
    container?.image === wanted?.image &&
    container?.env?.[0]?.value === wanted?.env[0]?.value
  if (!isSame) await api.replace(`${path}/${website.metadata.name}`, { ...present, spec: desired.spec })
  return present
}

const deploymentFor = ({ metadata: { name, uid }, spec: { html, replicas = 1 } }: Website) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name,
    ownerReferences: [{ apiVersion: "example.com/v1", kind: "Website", name, uid, controller: true }]
  },
  spec: {
    replicas,
    selector: { matchLabels: { website: name } },
    template: {
      metadata: { labels: { website: name } },
      spec: { containers: [{ name: "nginx", image: "nginx:1.29", env: [{ name: "HTML", value: html }] }] }
    }
  }
})

/** Gives a Website its address, or takes it back where `address` is undefined. */
const setAddress = async (
  api: ApiClient,
  namespace: string,
  name: string,
  address: string | undefined
): Promise<void> => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const book = await orUndefined(api.get<ConfigMap>(`${path}/${addressBook}`))
  if (book?.data?.[name] === address) return
  const { [name]: _before, ...others } = book?.data ?? {}
  const data = address === undefined ? others : { ...others, [name]: address }
  if (book !== undefined) return api.replace(`${path}/${addressBook}`, { ...book, data })
  return api.create(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: addressBook }, data })
}

const orUndefined = async <A>(request: Promise<A>): Promise<A | undefined> => {
  try {
    return await request
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
