import { Forbidden, InternalError, NotFound, Timeout, TooManyRequests } from "../store/storeErrors.ts"

export class UnusableKubeconfig extends Error {
  override readonly name = "UnusableKubeconfig"
}

/** The server did not answer, or its certificate is not trusted. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/** Further requests fail until the server or the kubeconfig changes. */
export class UntrustedCertificate extends Unreachable {}

/** The server's Status matches none of the store's errors. */
export class RemoteRefused extends Error {
  override readonly name = "RemoteRefused"
  readonly code: number
  readonly reason: string
  constructor(refusal: { readonly code: number; readonly reason: string; readonly message: string }) {
    super(refusal.message)
    this.code = refusal.code
    this.reason = refusal.reason
  }
}

export const isForbidden = (error: unknown): boolean =>
  error instanceof RemoteRefused ? error.code === 403 : error instanceof Forbidden

export const isNotFound = (error: unknown): boolean =>
  error instanceof RemoteRefused ? error.code === 404 : error instanceof NotFound

export const isTransientCode = (code: number): boolean => code === 429 || code >= 500

export const isTransientError = (error: unknown): boolean =>
  error instanceof RemoteRefused
    ? isTransientCode(error.code)
    : !(error instanceof UntrustedCertificate) &&
      [Unreachable, TooManyRequests, InternalError, Timeout].some((errorClass) => error instanceof errorClass)
