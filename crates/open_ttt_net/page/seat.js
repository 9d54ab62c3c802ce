// The seats, as indices and by name.

/** @param {SeatName} seat @returns {SeatIndex} */
export const seatIndex = (seat) => (seat === "a" ? 0 : 1);

/** @param {SeatIndex} seat @returns {SeatName} */
export const seatName = (seat) => (seat === 0 ? "a" : "b");

/** @param {SeatIndex} seat @returns {SeatIndex} */
export const opponent = (seat) => (seat === 0 ? 1 : 0);
