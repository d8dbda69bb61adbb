/** Starts one server for all test processes. */
export function globalSetup(): Promise<void>;
export function globalTeardown(): Promise<void>;
/** Starts one server for all test processes, and returns the function that ends it. */
export default function setup(): Promise<() => Promise<void>>;
