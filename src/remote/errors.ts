import { Forbidden, InternalError, NotFound, Timeout, TooManyRequests } from "../store/errors.ts"

/** A kubeconfig that leads nowhere: what is wrong with it, and where. */
export class UnusableKubeconfig extends Error {
  override readonly name = "UnusableKubeconfig"
}

/** No answer came: there is nobody, or nobody who is trusted. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/** A server has refused what was asked of it, for a reason that the store's own errors have no name for. */
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

/** Whether somebody may not do what was asked, in whatever words the server said so. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof RemoteRefused ? error.code === 403 : error instanceof Forbidden

/** Whether something is not there, in whatever words the server said so. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof RemoteRefused ? error.code === 404 : error instanceof NotFound

/** Whether a server that answers so may do the same a moment later: it has too much to do, or erred itself. */
export const isPassingCode = (code: number): boolean => code === 429 || code >= 500

/** Whether the same may go well a moment later: nobody answered, or a server that was not up to it. */
export const isPassing = (error: unknown): boolean =>
  error instanceof RemoteRefused
    ? isPassingCode(error.code)
    : [Unreachable, TooManyRequests, InternalError, Timeout].some((it) => error instanceof it)
